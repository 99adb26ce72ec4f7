import { Refusal } from '../errors.ts';
import type { LeadBody, NewSaleBody } from './schema.ts';

/*
 * Leads and sales that a page sends with a publishable key, so that any visitor can send them too,
 * with any values. They add an event. They change nothing of an existing customer, claim nothing
 * that only software of the workspace can know, and their response says nothing that the visitor
 * did not send.
 */

/**
 * Refuses a lead from a page without a click, which would name the customer's latest one, and fields
 * for software only.
 *
 * @throws Refusal `unprocessable_entity`
 */
export function refuseLeadFromPage({ clickId, quantity, timestamp }: LeadBody): void {
  refuse([
    [clickId === undefined, 'clickId is required with a publishable key'],
    [quantity !== undefined, notFromPages('quantity')],
    [timestamp !== undefined, notFromPages('timestamp')],
  ]);
}

/**
 * Refuses fields for software only: those with which a visitor could date a sale back, pass it off
 * as one of a payment processor, or find out which customers exist and which leads they have.
 *
 * @throws Refusal `unprocessable_entity`
 */
export function refuseSaleFromPage(sale: NewSaleBody): void {
  const { paymentProcessor, leadEventName, knownCustomer, timestamp } = sale;
  refuse([
    [paymentProcessor !== 'custom', notFromPages('paymentProcessor')],
    [leadEventName !== null, notFromPages('leadEventName')],
    [knownCustomer, notFromPages('knownCustomer')],
    [timestamp !== undefined, notFromPages('timestamp')],
  ]);
}

const notFromPages = (field: string): string => `${field} must not be set with a publishable key`;

function refuse(rules: readonly (readonly [isBroken: boolean, message: string])[]): void {
  const messages = rules.flatMap(([isBroken, message]) => (isBroken ? [message] : []));
  if (messages.length > 0) throw new Refusal('unprocessable_entity', messages.join('; '));
}

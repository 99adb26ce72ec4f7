import { addPending } from '../currency/pending.ts';
import { findByExternalId } from '../customers/find.ts';
import type { Customer } from '../customers/model.ts';
import { Refusal } from '../errors.ts';
import { attributed, type EventRow, type StoredEvent } from '../events/event.ts';
import { eventsStore } from '../events/store/index.ts';
import type { Db } from '../infra/db.ts';
import { minorUnitsOf } from '../infra/minor-units.ts';
import type { JobContext } from '../queues/definition.ts';
import type { RecordEvents } from './announced.ts';
import { knownClick } from './clicks.ts';
import { claimInvoice, claimOf } from './invoices.ts';
import type { NewSale, Tracked } from './jobs.ts';
import { noCustomer, type SaleResult } from './record.ts';
import type { SaleBody } from './schema.ts';
import { keepDetails, takeCustomer } from './take-customer.ts';
import { leads } from './waiting.ts';

/** Name of the lead that is recorded with a sale for a customer without a lead. */
const DIRECT_SALE = 'Direct sale';

/**
 * Records a sale, once per invoice.
 *
 * @throws Refusal `not_found` for an unknown click or lead, or for an unknown customer who must be
 * known; `conflict` for an invoice with other contents; Postponed while the click or lead may not be
 * stored yet
 */
export async function recordSale(
  trx: Db,
  job: JobContext,
  data: NewSale,
  recordEvents: RecordEvents,
): Promise<Tracked<SaleResult>> {
  const answer = resultOf(data);
  const first = await claimInvoice(trx, job.projectId, data, answer);
  if (first !== undefined) return { answer: first, isReplayed: true };
  await record(trx, job, data, recordEvents);
  return { answer, isReplayed: false };
}

const resultOf = ({ sale, converted }: NewSale): SaleResult => ({
  eventName: sale.eventName,
  customerId: sale.customerExternalId,
  amount: converted.amountCents ?? 0,
  paymentProcessor: sale.paymentProcessor,
  invoiceId: sale.invoiceId,
  currency: 'usd',
  metadata: sale.metadata,
  rateDate: converted.rateDate ?? undefined,
  pending: converted.amountCents === null ? true : undefined,
});

async function record(
  trx: Db,
  job: JobContext,
  data: NewSale,
  recordEvents: RecordEvents,
): Promise<void> {
  const { projectId } = job;
  const { eventId, leadEventId, at, sale, converted, isFromPage = false } = data;
  if (data.knownCustomer === true) await refuseUnknownCustomer(trx, job, sale);
  const click = sale.clickId === null ? undefined : await knownClick(trx, job, sale.clickId);
  const { customer, isNew } = await takeCustomer(trx, projectId, sale, click);
  if (!isNew && !isFromPage) await keepDetails(trx, customer, sale, click);
  const rows: EventRow[] = [];
  const common = { project_id: projectId, occurred_at: at, customer_id: customer.id };
  let from = click;
  if (click === undefined) {
    from = await attribution(trx, job, { customer, isNew }, sale);
  } else if (isNew) {
    const event_name = sale.leadEventName ?? DIRECT_SALE;
    rows.push(attributed(click, { ...common, event: 'lead', id: leadEventId, event_name }));
  }
  rows.push(
    attributed(from, {
      ...common,
      event: 'sale',
      id: eventId,
      event_name: sale.eventName,
      metadata: sale.metadata,
      amount_cents: converted.amountCents,
      sale: {
        paymentProcessor: sale.paymentProcessor,
        invoiceId: sale.invoiceId,
        amount: sale.amount,
        currency: sale.currency,
        rate: converted.rate,
        rateDate: converted.rateDate,
        decimals: converted.decimals,
        ...(isFromPage && { isFromPage }),
      },
    }),
  );
  await recordEvents(rows);
  if (converted.amountCents === null) {
    const { amount, currency } = sale;
    const { decimals = minorUnitsOf(currency) } = converted;
    const amounts = { currency, decimals, fromAmount: 0, toAmount: amount };
    await addPending(trx, [{ projectId, eventId, at, saleId: eventId, ...amounts }]);
  }
  const claim = claimOf(data);
  if (claim !== null) {
    await trx('invoices')
      .where({ project_id: projectId, invoice_id: claim })
      .update({ customer_id: customer.id });
  }
}

/** @throws Refusal `not_found`; Postponed while a lead that the sale names may not be stored yet */
async function refuseUnknownCustomer(
  trx: Db,
  job: JobContext,
  { customerExternalId, leadEventName }: SaleBody,
): Promise<void> {
  const find = () => findByExternalId(job.projectId, customerExternalId, trx);
  if ((await find()) !== undefined) return;
  // Most shops report all sales, and few of their customers are known: only a named lead is awaited.
  if (leadEventName !== null) {
    await leads.settled(job);
    if ((await find()) !== undefined) return;
  }
  throw noCustomer(customerExternalId);
}

/**
 * Attributes a sale that names no click: to the click of the lead, or else to the customer's first
 * click.
 */
async function attribution(
  trx: Db,
  job: JobContext,
  { customer, isNew }: { customer: Customer; isNew: boolean },
  { leadEventName }: SaleBody,
): Promise<StoredEvent | undefined> {
  const { projectId } = job;
  const leadKey = { projectId, customerId: customer.id, eventName: leadEventName };
  const find = () => eventsStore().findLatestLead(trx, leadKey);
  const lead = isNew ? undefined : await find();
  if (lead !== undefined) return lead;
  if (leadEventName !== null) {
    await leads.settled(job);
    // A customer who is created by this sale has no lead.
    if (isNew) return undefined;
    const late = await find();
    if (late !== undefined) return late;
    throw new Refusal('not_found', `The customer has no lead "${leadEventName}"`);
  }
  return customer.click_id === null
    ? undefined
    : eventsStore().findVisit(projectId, customer.click_id, trx);
}

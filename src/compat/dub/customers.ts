import { Refusal } from '../../errors.ts';
import { ok } from '../../http/answer.ts';
import type { Query } from '../../http/input.ts';
import {
  type Ask,
  type AskedQuery,
  type Fields,
  fieldsOf,
  ifReadable,
  type LinkRecord,
  one,
  type PeerRoute,
  without,
} from '../peer.ts';

const CUSTOMER_FIELDS = ['id', 'externalId', 'name', 'email', 'avatar', 'createdAt'];

/** Payment processors that Dub knows and we don't. */
const OTHER_PROCESSORS: readonly unknown[] = ['apple', 'dub'];

function toDubCustomer(customer: Fields, query: Query): Fields {
  const isExpanded = one(query, 'includeExpandedFields') === 'true';
  return {
    ...Object.fromEntries(CUSTOMER_FIELDS.map((name) => [name, customer[name]])),
    stripeCustomerId: null,
    country: null,
    sales: null,
    saleAmount: null,
    firstSaleAt: null,
    subscriptionCanceledAt: null,
    ...(isExpanded ? { link: null, programId: null, partner: null, discount: null } : {}),
  };
}

/** Filters and page of a list of customers, which is always sorted by the time of creation, newest first. */
function fromDubQuery(query: Query): AskedQuery {
  const { sortBy, sortOrder, startingAfter, ...rest } = without(query, ['includeExpandedFields']);
  return {
    ...rest,
    after: startingAfter,
    sortBy: sortBy === 'createdAt' ? undefined : sortBy,
    sortOrder: sortOrder === 'desc' ? undefined : sortOrder,
  };
}

/** Customers, leads and sales. */
export const customerRoutes: PeerRoute[] = [
  {
    method: 'get',
    path: '/customers',
    operation: 'listCustomers',
    async answer({ query }, ask) {
      const { body } = await ask<Fields[]>('listCustomers', { query: fromDubQuery(query) });
      return ok(body.map((customer) => toDubCustomer(customer, query)));
    },
  },
  {
    method: 'get',
    path: '/customers/{id}',
    operation: 'retrieveCustomer',
    async answer({ params, query }, ask) {
      return ok(toDubCustomer((await ask<Fields>('retrieveCustomer', { params })).body, query));
    },
  },
  {
    method: 'patch',
    path: '/customers/{id}',
    operation: 'updateCustomer',
    takes: 'json',
    async answer({ params, query, body }, ask) {
      const asked = { params, body: fieldsOf(body) };
      return ok(toDubCustomer((await ask<Fields>('updateCustomer', asked)).body, query));
    },
  },
  {
    method: 'delete',
    path: '/customers/{id}',
    operation: 'deleteCustomer',
    async answer({ params }, ask) {
      return ok((await ask('deleteCustomer', { params })).body);
    },
  },
  {
    method: 'post',
    path: '/track/lead',
    operation: 'trackLead',
    takes: 'json',
    async answer({ body }, ask) {
      const lead = fieldsOf(body);
      const { body: tracked, headers } = await ask<{ clickId: string; linkId: string | null }>(
        'trackLead',
        { body: fromDubLead(lead) },
      );
      return {
        status: 200,
        headers: headers ?? {},
        body: {
          click: { id: tracked.clickId },
          link: await linkOf(ask, tracked.linkId),
          customer: {
            externalId: lead['customerExternalId'],
            name: lead['customerName'] ?? null,
            email: lead['customerEmail'] ?? null,
            avatar: lead['customerAvatar'] ?? null,
          },
        },
      };
    },
  },
  {
    method: 'post',
    path: '/track/sale',
    operation: 'trackSale',
    takes: 'json',
    async answer({ body }, ask) {
      const { paymentProcessor, ...sale } = fieldsOf(body);
      const processor = OTHER_PROCESSORS.includes(paymentProcessor) ? 'custom' : paymentProcessor;
      const { body: tracked, headers } = await ask<Fields>('trackSale', {
        body: { ...sale, paymentProcessor: processor },
      });
      const { eventName, amount, currency, invoiceId, metadata } = tracked;
      return {
        status: 200,
        headers: headers ?? {},
        body: {
          eventName,
          customer: await customerOf(ask, String(tracked['customerId'])),
          sale: {
            amount,
            currency,
            paymentProcessor: paymentProcessor ?? tracked['paymentProcessor'],
            invoiceId,
            metadata,
          },
        },
      };
    },
  },
];

/** A lead as our endpoint takes it: it is always answered once it is stored, and counts one. */
function fromDubLead({ mode, eventQuantity, ...lead }: Fields): Fields {
  if (mode === 'deferred') {
    throw new Refusal(
      'unprocessable_entity',
      'mode must be "async" or "wait": a lead belongs to a click, which has to be known when it is tracked',
    );
  }
  if (eventQuantity !== undefined && eventQuantity !== null && eventQuantity !== 1) {
    throw new Refusal('unprocessable_entity', 'eventQuantity must be 1');
  }
  return lead;
}

/** The link of a lead; `null` where the key may not read links. */
async function linkOf(ask: Ask, linkId: string | null): Promise<Fields | null> {
  if (linkId === null) return null;
  const link = await ifReadable(ask<LinkRecord>('retrieveLink', { params: { linkId } }));
  if (link === undefined) return null;
  const { id, domain, key, shortLink, url, externalId } = link.body;
  const nothing = { partnerId: null, programId: null, tenantId: null };
  return { id, domain, key, shortLink, url, externalId, ...nothing };
}

/** The customer of a sale; `null` where the key may not read customers. */
async function customerOf(ask: Ask, externalId: string): Promise<Fields | null> {
  const asked = { params: { id: `ext_${externalId}` } };
  const customer = await ifReadable(ask<Fields>('retrieveCustomer', asked));
  if (customer === undefined) return null;
  const { id, name, email, avatar } = customer.body;
  return { id, name, email, avatar, externalId };
}

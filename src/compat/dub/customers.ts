import { Refusal } from '../../errors.ts';
import type { Query } from '../../http/input.ts';
import {
  type Call,
  type CallQuery,
  type Fields,
  fieldsOf,
  ifReadable,
  type LinkRecord,
  lastValue,
  omit,
  type PeerRoute,
} from '../peer.ts';
import { translated } from './translated.ts';

const CUSTOMER_FIELDS = ['id', 'externalId', 'name', 'email', 'avatar', 'createdAt'];

/** Payment processors that only Dub knows. */
const OTHER_PROCESSORS: readonly unknown[] = ['apple', 'dub'];

function toDubCustomer(customer: Fields, query: Query): Fields {
  const isExpanded = lastValue(query, 'includeExpandedFields') === 'true';
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

/**
 * Converts filters and page of a customer list, which is always sorted by time of creation, newest
 * first.
 */
function fromDubQuery(query: Query): CallQuery {
  const { sortBy, sortOrder, startingAfter, ...rest } = omit(query, ['includeExpandedFields']);
  return {
    ...rest,
    after: startingAfter,
    sortBy: sortBy === 'createdAt' ? undefined : sortBy,
    sortOrder: sortOrder === 'desc' ? undefined : sortOrder,
  };
}

/** Routes for customers, leads and sales. */
export const customerRoutes: PeerRoute[] = [
  translated('get', '/customers', 'listCustomers', {
    query: fromDubQuery,
    output: (customers: Fields[], query) => customers.map((one) => toDubCustomer(one, query)),
  }),
  translated('get', '/customers/{id}', 'retrieveCustomer', { output: toDubCustomer }),
  translated('patch', '/customers/{id}', 'updateCustomer', { output: toDubCustomer }),
  translated('delete', '/customers/{id}', 'deleteCustomer'),
  {
    method: 'post',
    path: '/track/lead',
    operation: 'trackLead',
    takes: 'json',
    async answer({ body }, call) {
      const lead = fieldsOf(body);
      const { body: tracked, headers } = await call<{ clickId: string; linkId: string | null }>(
        'trackLead',
        { body: fromDubLead(lead) },
      );
      return {
        status: 200,
        headers: headers ?? {},
        body: {
          click: { id: tracked.clickId },
          link: await linkOf(call, tracked.linkId),
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
    async answer({ body }, call) {
      const { paymentProcessor, ...sale } = fieldsOf(body);
      const processor = OTHER_PROCESSORS.includes(paymentProcessor) ? 'custom' : paymentProcessor;
      const { body: tracked, headers } = await call<Fields>('trackSale', {
        body: { ...sale, paymentProcessor: processor },
      });
      const { eventName, amount, currency, invoiceId, metadata } = tracked;
      return {
        status: 200,
        headers: headers ?? {},
        body: {
          eventName,
          customer: await customerOf(call, String(tracked['customerId'])),
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

/** Converts a lead for this API, which always answers once the lead is stored, and counts one. */
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

/** Reads the link of a lead; `null` if the key may not read links. */
async function linkOf(call: Call, linkId: string | null): Promise<Fields | null> {
  if (linkId === null) return null;
  const link = await ifReadable(call<LinkRecord>('retrieveLink', { params: { linkId } }));
  if (link === undefined) return null;
  const { id, domain, key, shortLink, url, externalId } = link.body;
  const nothing = { partnerId: null, programId: null, tenantId: null };
  return { id, domain, key, shortLink, url, externalId, ...nothing };
}

/** Reads the customer of a sale; `null` if the key may not read customers. */
async function customerOf(call: Call, externalId: string): Promise<Fields | null> {
  const input = { params: { id: `ext_${externalId}` } };
  const customer = await ifReadable(call<Fields>('retrieveCustomer', input));
  if (customer === undefined) return null;
  const { id, name, email, avatar } = customer.body;
  return { id, name, email, avatar, externalId };
}

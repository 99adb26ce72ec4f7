import type { Query } from '../../http/input.ts';
import { ok } from '../../http/route.ts';
import { type CallQuery, type Fields, lastValue, omit, type PeerRoute } from '../peer.ts';
import { cursorOf, recordAt } from './cursor.ts';
import { translated } from './translated.ts';

const CUSTOMER_FIELDS = ['id', 'externalId', 'name', 'email', 'avatar', 'country', 'createdAt'];

function toDubCustomer(customer: Fields, query: Query): Fields {
  const isExpanded = lastValue(query, 'includeExpandedFields') === 'true';
  return {
    ...Object.fromEntries(CUSTOMER_FIELDS.map((name) => [name, customer[name]])),
    stripeCustomerId: null,
    sales: customer['sales'],
    saleAmount: customer['saleAmount'],
    firstSaleAt: null,
    subscriptionCanceledAt: null,
    ...(isExpanded ? { link: null, programId: null, partner: null, discount: null } : {}),
  };
}

/** Converts filters and page of a customer list. */
function fromDubQuery(query: Query): CallQuery {
  const { startingAfter, endingBefore, customerIds, externalId, ...rest } = omit(query, [
    'includeExpandedFields',
  ]);
  return {
    ...rest,
    // Dub's ids have no prefix in this filter, but may begin like it.
    externalId: externalId === undefined ? undefined : `ext_${lastValue(query, 'externalId')}`,
    ids: customerIds,
    after: startingAfter,
    before: endingBefore,
  };
}

/** Removes a field that can only be null here. */
function fromDubCustomer({ stripeCustomerId, ...customer }: Fields): Fields {
  return stripeCustomerId === undefined || stripeCustomerId === null
    ? customer
    : { ...customer, stripeCustomerId };
}

/** Routes for customers. */
export const customerRoutes: PeerRoute[] = [
  translated('post', '/customers', 'createCustomer', {
    body: fromDubCustomer,
    output: toDubCustomer,
    status: 201,
  }),
  {
    method: 'get',
    path: '/customers',
    operation: 'listCustomers',
    async answer({ query }, call) {
      const cursor = cursorOf(query);
      if (cursor !== undefined) {
        await recordAt(cursor, call('retrieveCustomer', { params: { id: cursor.id } }));
      }
      const { body } = await call<Fields[]>('listCustomers', { query: fromDubQuery(query) });
      return ok(body.map((customer) => toDubCustomer(customer, query)));
    },
  },
  translated('get', '/customers/{id}', 'retrieveCustomer', { output: toDubCustomer }),
  translated('patch', '/customers/{id}', 'updateCustomer', {
    body: fromDubCustomer,
    output: toDubCustomer,
  }),
  translated('delete', '/customers/{id}', 'deleteCustomer'),
];

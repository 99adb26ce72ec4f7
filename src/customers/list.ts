import { Refusal } from '../errors.ts';
import {
  cursor,
  dateTime,
  externalIdIn,
  flag,
  id,
  Joi,
  oneOf,
  paging,
  queryList,
  text,
} from '../http/fields.ts';
import { hasAny } from '../http/route.ts';
import { byText, type Order, type Slice } from '../infra/keyset.ts';
import { contains } from '../infra/like.ts';
import { COUNTRY_CODES } from '../visitors/countries.ts';
import { UNKNOWN } from '../visitors/places.ts';
import { byId, type Paging, readSlice } from '../workspaces/lists.ts';
import { findByExternalId } from './find.ts';
import type { CountedCustomer } from './model.ts';
import { countedCustomers } from './queries.ts';

/** Sort keys of the list, with the expressions of their indexes. */
const SORTS = {
  saleAmount: { sql: 't.sale_amount_cents', type: 'bigint' },
  sales: { sql: 't.sales', type: 'bigint' },
  leads: { sql: 't.leads', type: 'bigint' },
  lastSeenAt: { sql: "coalesce(t.last_seen_at, '-infinity'::timestamptz)", type: 'timestamptz' },
  firstClick: {
    sql: "coalesce(customers.first_click_at, '-infinity'::timestamptz)",
    type: 'timestamptz',
  },
  country: { sql: "coalesce(customers.country, '')", type: 'text' },
} as const satisfies Record<string, Order['keys'][number]>;

type Sort = 'createdAt' | keyof typeof SORTS;

export interface CustomerFilters {
  search?: string;
  email?: string;
  externalId?: string;
  ids?: string[];
  country?: string[];
  minSaleAmount?: number;
  maxSaleAmount?: number;
  seenSince?: string;
}

/** Filters, order and page of the list of customers. */
export interface CustomerListQuery extends Paging, CustomerFilters {
  withSales?: boolean;
  before?: string;
  sortBy: Sort;
  sortOrder: 'asc' | 'desc';
}

/** Earlier parameter that added what records always have now. */
export const withSales = flag().description(
  'Deprecated, and without effect: customers always have `sales`, `saleAmount` and `refundAmount`.',
);

/** Schema of the cursor of a page, for which the id of the last customer before it is accepted. */
const afterCustomer = cursor()
  .custom((value: string) => (value.startsWith('cus_') ? [value] : value))
  .description(
    'Cursor of the page, from the header `X-Next-Cursor` or `Link` of the previous one, or the id ' +
      'of its last customer with `sortBy=createdAt`. Each page costs the same, while `page` reads ' +
      'all customers before it.',
  );

const amount = (what: string) =>
  Joi.number()
    .integer()
    .min(-Number.MAX_SAFE_INTEGER)
    .max(Number.MAX_SAFE_INTEGER)
    .description(`Customers with revenue of ${what} this, in US cents.`)
    .example(10_000);

const HEAVY = ['search', 'email', 'country', 'minSaleAmount', 'maxSaleAmount', 'seenSince'];

/** Returns true for a query that may read many customers. */
export const hasFilter = hasAny(...HEAVY);

/** Schemas of the filters of customers. */
export const customerFilterSchemas = {
  search: text(100).description(
    'Part of the name, email address or external id, regardless of case.',
  ),
  email: text(100).description('Email address, in full.'),
  externalId: id().description(
    'Id of the customer in the caller’s system, after the prefix `ext_`.',
  ),
  ids: queryList(id()).description('Ids of customers.'),
  country: queryList(Joi.string().valid(...COUNTRY_CODES, UNKNOWN))
    .min(1)
    .description('Country of the customer, or several; `Unknown` for none.'),
  minSaleAmount: amount('at least'),
  maxSaleAmount: amount('at most'),
  seenSince: dateTime().description('Customers who were last seen at this time or later.'),
};

export const customerListQuery = Joi.object<CustomerListQuery>({
  ...customerFilterSchemas,
  before: id().description(
    'Id of the first customer on the next page; returns the customers before it. Newest first only.',
  ),
  sortBy: oneOf(['createdAt', ...Object.keys(SORTS)])
    .default('createdAt')
    .description(
      'Field to sort by; `firstClick` by its time. Customers without a value are last in ' +
        'descending order.',
    ),
  sortOrder: oneOf(['asc', 'desc']).default('desc').description('Ascending or descending order.'),
  withSales,
  ...paging(100),
  after: afterCustomer,
})
  .oxor('after', 'before')
  .messages({ 'object.oxor': 'after and before must not be given together' });

/** Lists a page of the customers that match the filters. */
export async function listCustomers(
  projectId: string,
  query: CustomerListQuery,
): Promise<Slice<CountedCustomer>> {
  refuseIdsAsPositions(query);
  const { before } = query;
  const { customers } = await matching(projectId, query);
  if (before === undefined) return readSlice(customers, orderOf(query), query);
  const { rows } = await readSlice(
    customers.where('customers.id', '>', before),
    byId('asc', 'customers.id'),
    query,
  );
  return { rows: rows.toReversed() };
}

/** Reads the next customers after an id that match the filters, in order of creation. */
export async function listCustomersAfter(
  projectId: string,
  filters: CustomerFilters,
  { after, limit }: { after: string; limit: number },
): Promise<CountedCustomer[]> {
  const { customers } = await matching(projectId, filters);
  return customers.where('customers.id', '>', after).orderBy('customers.id').limit(limit);
}

/** Counts the customers that match the filters. */
export const countCustomers = async (
  projectId: string,
  filters: CustomerFilters,
): Promise<number> => (await matching(projectId, filters)).customers.resultSize();

/** Starts a query over the customers that match the filters; in an object, as it can be awaited. */
async function matching(projectId: string, filters: CustomerFilters) {
  const { search, email, externalId, ids, country } = filters;
  const customers = countedCustomers(projectId);
  if (ids !== undefined) customers.whereIn('customers.id', ids);
  if (search !== undefined) {
    customers.where((either) => {
      for (const column of ['name', 'email', 'external_id']) {
        either.orWhereRaw(...contains(`customers.${column}`, search));
      }
    });
  }
  if (email !== undefined) customers.where({ 'customers.email': email });
  if (externalId !== undefined) {
    const named = externalIdIn(externalId) ?? externalId;
    customers.where({ 'customers.id': (await findByExternalId(projectId, named))?.id ?? '' });
  }
  if (country !== undefined) {
    const stored = country.map((code) => (code === UNKNOWN ? '' : code));
    customers.whereRaw(`${SORTS.country.sql} = ANY(?)`, [stored]);
  }
  const { minSaleAmount, maxSaleAmount, seenSince } = filters;
  if (minSaleAmount !== undefined) customers.where('t.sale_amount_cents', '>=', minSaleAmount);
  if (maxSaleAmount !== undefined) customers.where('t.sale_amount_cents', '<=', maxSaleAmount);
  if (seenSince !== undefined) {
    customers.whereRaw(`${SORTS.lastSeenAt.sql} >= ?::timestamptz`, [seenSince]);
  }
  return { customers };
}

/** @throws Refusal `unprocessable_entity` for an id as the position in an order of other values */
function refuseIdsAsPositions({ sortBy, sortOrder, before, after }: CustomerListQuery): void {
  if (before !== undefined && (sortBy !== 'createdAt' || sortOrder === 'asc')) {
    throw new Refusal('unprocessable_entity', 'before must not be given with another order');
  }
  if (after?.length === 1 && sortBy !== 'createdAt') {
    throw new Refusal('unprocessable_entity', 'after must be the cursor of a page in this order');
  }
}

/** The order of a list; ids end it in the table of its sort key, whose index has both. */
function orderOf({ sortBy, sortOrder: direction }: CustomerListQuery): Order {
  if (sortBy === 'createdAt') return byId(direction, 'customers.id');
  const key = SORTS[sortBy];
  const lastKey = key.sql.includes('t.') ? 't.customer_id' : 'customers.id';
  return { keys: [key, byText(lastKey)], direction };
}

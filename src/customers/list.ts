import { Refusal } from '../errors.ts';
import { cursor, dateTime, flag, id, Joi, oneOf, paging, queryList, text } from '../http/fields.ts';
import { hasAny } from '../http/route.ts';
import type { Slice } from '../infra/keyset.ts';
import { COUNTRY_CODES } from '../visitors/countries.ts';
import { UNKNOWN } from '../visitors/places.ts';
import type { Paging } from '../workspaces/lists.ts';
import { type CustomerFilters, conditionsOf } from './conditions.ts';
import type { CountedCustomer } from './model.ts';
import { countMatching, readPage } from './pages.ts';
import { countedCustomers } from './queries.ts';
import { type CustomerSort, SORTS } from './sorts.ts';

/** Filters, order and page of the list of customers. */
export interface CustomerListQuery extends Paging, CustomerFilters {
  withSales?: boolean;
  before?: string;
  sortBy: CustomerSort;
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
  sortBy: oneOf(Object.keys(SORTS))
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
  const { before, ...page } = query;
  const conditions = await conditionsOf(projectId, query);
  if (before === undefined) return readPage(projectId, conditions, page);
  const { rows } = await readPage(projectId, conditions, {
    ...page,
    sortOrder: 'asc',
    after: [before],
  });
  return { rows: rows.toReversed() };
}

/** Reads the next customers after an id that match the filters, in order of creation. */
export async function listCustomersAfter(
  projectId: string,
  filters: CustomerFilters,
  { after, limit }: { after: string; limit: number },
): Promise<CountedCustomer[]> {
  const customers = countedCustomers(projectId).where('customers.id', '>', after);
  for (const { where } of await conditionsOf(projectId, filters)) customers.whereRaw(...where);
  return customers.orderBy('customers.id').limit(limit);
}

/** Counts the customers that match the filters. */
export const countCustomers = async (
  projectId: string,
  filters: CustomerFilters,
): Promise<number> => countMatching(projectId, await conditionsOf(projectId, filters));

/** @throws Refusal `unprocessable_entity` for an id as the position in an order of other values */
function refuseIdsAsPositions({ sortBy, sortOrder, before, after }: CustomerListQuery): void {
  if (before !== undefined && (sortBy !== 'createdAt' || sortOrder === 'asc')) {
    throw new Refusal('unprocessable_entity', 'before must not be given with another order');
  }
  if (after?.length === 1 && sortBy !== 'createdAt') {
    throw new Refusal('unprocessable_entity', 'after must be the cursor of a page in this order');
  }
}

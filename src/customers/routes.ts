import { Refusal } from '../errors.ts';
import { deletedRecord } from '../http/deleted.ts';
import {
  cursor,
  externalIdIn,
  flag,
  id,
  Joi,
  paging,
  queryList,
  recordId,
  text,
} from '../http/fields.ts';
import { created, found, hasAny, ok, type Route, route } from '../http/route.ts';
import { newId } from '../ids.ts';
import { contains } from '../infra/like.ts';
import { answerWrite } from '../jobs/answer-write.ts';
import { byId, newestFirst, type Paging, readSlice } from '../workspaces/lists.ts';
import { customerChangesBody, customerMergeBody, newCustomerBody } from './fields.ts';
import { findByExternalId, findByRef } from './find.ts';
import {
  type CustomerChanges,
  type CustomerMerge,
  customerJobs,
  type NewCustomer,
} from './jobs.ts';
import { Customer } from './model.ts';
import { addSales } from './queries.ts';
import { type CustomerRecord, customerRecord, toCustomer } from './record.ts';

const read = {
  extension: true,
  tag: 'Customers',
  scope: 'customers.read',
  plan: 'business',
} as const;
const write = {
  extension: true,
  tag: 'Customers',
  scope: 'customers.write',
  plan: 'business',
  writes: true,
} as const;

type Params = { id: string };

interface CustomerQuery {
  withSales: boolean;
}

interface CustomerListQuery extends Paging, CustomerQuery {
  search?: string;
  email?: string;
  externalId?: string;
  ids?: string[];
  before?: string;
}

const params = Joi.object<Params>({ id: recordId().required() });

const withSales = flag()
  .default(false)
  .description(
    'Add `sales`, `saleAmount` and `refundAmount`, the sums of stored sales and refunds.',
  );

/** Schema of the cursor of a page, for which the id of the last customer before it is accepted. */
const afterCustomer = cursor()
  .custom((value: string) => (value.startsWith('cus_') ? [value] : value))
  .description(
    'Cursor of the page, from the header `X-Next-Cursor` or `Link` of the previous one, or the id ' +
      'of its last customer. Each page costs the same, while `page` reads all customers before it.',
  );

/** Converts rows for an answer, with the sums of sales if the query asks for them. */
async function recordsOf(
  projectId: string,
  customers: readonly Customer[],
  query: CustomerQuery,
): Promise<CustomerRecord[]> {
  const records = customers.map(toCustomer);
  return query.withSales ? addSales(projectId, records) : records;
}

const find = async (projectId: string, ref: string): Promise<Customer> =>
  found(await findByRef(projectId, ref), `customer "${ref}"`);

/**
 * Finds the customers of a merge. Those who were merged into the same customer before are left out.
 *
 * @throws Refusal `not_found`, `unprocessable_entity` for a customer to be merged into itself
 */
async function toMerge(projectId: string, { customerIds, into }: CustomerMerge) {
  const target = await find(projectId, into);
  const ids = new Set<string>();
  for (const ref of customerIds) {
    const customer = await find(projectId, ref);
    if (customer.id !== target.id) ids.add(customer.id);
    else if ([target.id, `ext_${target.external_id}`].includes(ref)) {
      const rule = `customerIds must not contain "${ref}", the customer that remains`;
      throw new Refusal('unprocessable_entity', rule);
    }
  }
  return { ids: [...ids], into: target.id };
}

/**
 * Endpoints of customers, an extension of the contract, in which leads and sales create customers.
 */
export const customerRoutes: Route[] = [
  route<{ body: NewCustomer }>({
    ...write,
    method: 'post',
    path: '/customers',
    operationId: 'createCustomer',
    summary: 'Create a customer',
    description: 'Creates a customer without a lead or sale, which create customers as well.',
    record: true,
    body: newCustomerBody,
    answers: { 201: customerRecord },
    handle: (request) => {
      const data = { ...request.body, id: newId('customer') };
      return answerWrite(request, customerJobs['customer.create'], data, (record) =>
        created(`/customers/${record.id}`, record),
      );
    },
  }),
  route<{ query: CustomerListQuery }>({
    ...read,
    method: 'get',
    path: '/customers',
    operationId: 'listCustomers',
    summary: 'List customers, newest first',
    description: 'Returns the customers, newest first.',
    isHeavy: hasAny('search', 'email', 'withSales'),
    query: Joi.object<CustomerListQuery>({
      search: text(100).description('Part of the name, email or external id.'),
      email: text(100).description('Email address, in full.'),
      externalId: id().description(
        'Id of the customer in the caller’s system, after the prefix `ext_`.',
      ),
      ids: queryList(id()).description('Ids of customers.'),
      before: id().description(
        'Id of the first customer on the next page; returns the customers before it.',
      ),
      withSales,
      ...paging(100),
      after: afterCustomer,
    })
      .oxor('after', 'before')
      .messages({ 'object.oxor': 'after and before must not be given together' }),
    answers: { 200: Joi.array().items(customerRecord) },
    async handle({ caller, query }) {
      const { search, email, externalId, ids, before } = query;
      const { projectId } = caller;
      const customers = Customer.of(projectId);
      if (ids !== undefined) customers.whereIn('id', ids);
      if (search !== undefined) {
        customers.where((either) => {
          for (const column of ['name', 'email', 'external_id']) {
            either.orWhereRaw(...contains(column, search));
          }
        });
      }
      if (email !== undefined) customers.where({ email });
      if (externalId !== undefined) {
        const named = externalIdIn(externalId) ?? externalId;
        customers.where({ id: (await findByExternalId(projectId, named))?.id ?? '' });
      }
      if (before === undefined) {
        const { rows, next } = await newestFirst(customers, query);
        return { ...ok(await recordsOf(projectId, rows, query)), next };
      }
      const { rows } = await readSlice(customers.where('id', '>', before), byId('asc'), query);
      return ok(await recordsOf(projectId, rows.toReversed(), query));
    },
  }),
  route<{ params: Params; query: CustomerQuery }>({
    ...read,
    method: 'get',
    path: '/customers/{id}',
    operationId: 'retrieveCustomer',
    summary: 'Retrieve a customer',
    description: 'Returns a customer.',
    record: true,
    params,
    query: Joi.object<CustomerQuery>({ withSales }),
    answers: { 200: customerRecord },
    async handle({ caller: { projectId }, params: { id: ref }, query }) {
      const [customer] = await recordsOf(projectId, [await find(projectId, ref)], query);
      return ok(customer);
    },
  }),
  route<{ params: Params; body: CustomerChanges }>({
    ...write,
    method: 'patch',
    path: '/customers/{id}',
    operationId: 'updateCustomer',
    summary: 'Update a customer',
    description: 'Changes a customer. Absent fields stay as they are; null clears a field.',
    record: true,
    params,
    body: customerChangesBody,
    answers: { 200: customerRecord },
    async handle(request) {
      const { id: customerId } = await find(request.caller.projectId, request.params.id);
      const data = { id: customerId, changes: request.body };
      return answerWrite(request, customerJobs['customer.update'], data, ok);
    },
  }),
  route<{ body: CustomerMerge }>({
    ...write,
    method: 'post',
    path: '/customers/merge',
    operationId: 'mergeCustomers',
    summary: 'Merge customers',
    description:
      'Merges the customers of one person. The one that remains gets the events, sales and invoices ' +
      'of the others, and their details where it has none. Their ids and external ids mean it ' +
      'from then on, also in leads and sales. Repeating a merge changes nothing.',
    body: customerMergeBody,
    answers: { 200: customerRecord },
    handle: (request) =>
      answerWrite(
        request,
        customerJobs['customer.merge'],
        () => toMerge(request.caller.projectId, request.body),
        ok,
      ),
  }),
  route<{ params: Params }>({
    ...write,
    method: 'delete',
    path: '/customers/{id}',
    operationId: 'deleteCustomer',
    summary: 'Delete a customer',
    description:
      'Deletes a customer and erases their data from events, permanently. The events still count.',
    record: true,
    params,
    answers: { 200: deletedRecord },
    async handle(request) {
      const { id: customerId } = await find(request.caller.projectId, request.params.id);
      return answerWrite(request, customerJobs['customer.delete'], { id: customerId }, ok);
    },
  }),
];

import { Refusal } from '../errors.ts';
import { deletedRecord } from '../http/deleted.ts';
import { Joi, recordId } from '../http/fields.ts';
import { created, found, ok, pageOf, type Route, route } from '../http/route.ts';
import { newId } from '../ids.ts';
import { answerWrite } from '../jobs/answer-write.ts';
import { customerChangesBody, customerMergeBody, newCustomerBody } from './fields.ts';
import { findByRef } from './find.ts';
import {
  type CustomerChanges,
  type CustomerMerge,
  customerJobs,
  type NewCustomer,
} from './jobs.ts';
import {
  type CustomerListQuery,
  customerListQuery,
  hasFilter,
  listCustomers,
  withSales,
} from './list.ts';
import type { Customer } from './model.ts';
import { readCustomer } from './queries.ts';
import { customerRecord, toCountedCustomer } from './record.ts';

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

const params = Joi.object<Params>({ id: recordId().required() });

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
    summary: 'List customers',
    description: 'Returns the customers, newest first unless another order is given.',
    isHeavy: hasFilter,
    query: customerListQuery,
    answers: { 200: Joi.array().items(customerRecord) },
    handle: async ({ caller, query }) =>
      pageOf(await listCustomers(caller.projectId, query), toCountedCustomer),
  }),
  route<{ params: Params }>({
    ...read,
    method: 'get',
    path: '/customers/{id}',
    operationId: 'retrieveCustomer',
    summary: 'Retrieve a customer',
    description: 'Returns a customer.',
    record: true,
    params,
    query: Joi.object({ withSales }),
    answers: { 200: customerRecord },
    async handle({ caller: { projectId }, params: { id: ref } }) {
      const { id: customerId } = await find(projectId, ref);
      return ok(await readCustomer(projectId, customerId));
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

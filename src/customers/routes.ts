import { answerWrite, ok } from '../api/answer.ts';
import { type Route, route } from '../api/route.ts';
import { Refusal } from '../errors.ts';
import { externalIdIn, id, Joi, paging, recordId, text } from '../infra/fields.ts';
import { containing } from '../infra/like.ts';
import { writes } from '../queues/writes.ts';
import type { CustomerChanges } from './commands.ts';
import { customerFields } from './fields.ts';
import { Customer } from './model.ts';
import { customerRecord, toCustomer } from './record.ts';

const tag = 'Customers';

type Params = { id: string };

interface CustomerListQuery {
  search?: string;
  email?: string;
  externalId?: string;
  page: number;
  pageSize: number;
}

const params = Joi.object<Params>({ id: recordId().required() });

async function find(projectId: string, ref: string): Promise<Customer> {
  const own = externalIdIn(ref);
  const row = await Customer.of(projectId)
    .where(own === undefined ? { id: ref } : { external_id: own })
    .first();
  if (row === undefined) throw new Refusal('not_found', `There is no customer "${ref}"`);
  return row;
}

/** Addition to the contract, in which customers are made by leads and sales. */
export const customerRoutes: Route[] = [
  route<{ query: CustomerListQuery }>({
    method: 'get',
    path: '/customers',
    summary: 'Addition: list customers, newest first',
    tag,
    scope: 'customers.read',
    plan: 'business',
    query: Joi.object<CustomerListQuery>({
      search: text(100).description('A part of name, email or external id.'),
      email: text(100),
      externalId: id().description('With the prefix `ext_`.'),
      ...paging(100),
    }),
    answers: { 200: Joi.array().items(customerRecord) },
    async handle({ caller, query: { search, email, externalId, page, pageSize } }) {
      const customers = Customer.of(caller.projectId);
      if (search !== undefined) {
        const pattern = containing(search);
        customers.whereRaw('(name ILIKE ? OR email ILIKE ? OR external_id ILIKE ?)', [
          pattern,
          pattern,
          pattern,
        ]);
      }
      if (email !== undefined) customers.where({ email });
      if (externalId !== undefined) {
        customers.where({ external_id: externalIdIn(externalId) ?? externalId });
      }
      const rows = await customers
        .orderBy('id', 'desc')
        .limit(pageSize)
        .offset((page - 1) * pageSize);
      return ok(rows.map(toCustomer));
    },
  }),
  route<{ params: Params }>({
    method: 'get',
    path: '/customers/{id}',
    summary: 'Addition: get a customer',
    tag,
    scope: 'customers.read',
    plan: 'business',
    params,
    answers: { 200: customerRecord },
    handle: async ({ caller, params: { id: ref } }) =>
      ok(toCustomer(await find(caller.projectId, ref))),
  }),
  route<{ params: Params; body: CustomerChanges }>({
    method: 'patch',
    path: '/customers/{id}',
    summary: 'Addition: change a customer',
    tag,
    scope: 'customers.write',
    plan: 'business',
    params,
    body: Joi.object<CustomerChanges>(customerFields),
    answers: { 200: customerRecord },
    writes: true,
    async handle(request) {
      const { id: own } = await find(request.caller.projectId, request.params.id);
      const data = { id: own, changes: request.body };
      return answerWrite(request, writes, 'customer.update', data, ok);
    },
  }),
  route<{ params: Params }>({
    method: 'delete',
    path: '/customers/{id}',
    summary: 'Addition: forget a customer',
    description:
      'Deletes the customer and empties what their events say of them, for good. The events are counted as before.',
    tag,
    scope: 'customers.write',
    plan: 'business',
    params,
    answers: { 200: Joi.object({ id: Joi.string().required() }) },
    writes: true,
    async handle(request) {
      const { id: own } = await find(request.caller.projectId, request.params.id);
      return answerWrite(request, writes, 'customer.delete', { id: own }, ok);
    },
  }),
];

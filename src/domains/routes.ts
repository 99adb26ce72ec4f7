import { type Asker, answerWrite, created, ok } from '../api/answer.ts';
import { askFrameable } from '../api/ask-framing.ts';
import { type Route, route } from '../api/route.ts';
import { Refusal } from '../errors.ts';
import { newId } from '../ids.ts';
import { Joi } from '../infra/fields.ts';
import { containing } from '../infra/like.ts';
import { writes } from '../queues/writes.ts';
import { Domain } from './model.ts';
import { domainRecord, toDomain } from './record.ts';
import {
  type DomainChanges,
  type DomainListQuery,
  domainChangesBody,
  domainListQuery,
  domainParams,
  type NewDomain,
  newDomainBody,
} from './schema.ts';

const tag = 'Domains';
type Params = { id: string };

export const domainRoutes: Route[] = [
  route<{ query: DomainListQuery }>({
    method: 'get',
    path: '/domains',
    summary: 'List domains',
    tag,
    scope: 'domains.read',
    query: domainListQuery,
    answers: { 200: Joi.array().items(domainRecord) },
    async handle({ caller, query: { archived, search, page, pageSize } }) {
      const domains = Domain.of(caller.projectId);
      if (!archived) domains.where('archived', false);
      if (search !== undefined) domains.whereRaw('slug ILIKE ?', [containing(search)]);
      const rows = await domains
        .orderBy('id')
        .limit(pageSize)
        .offset((page - 1) * pageSize);
      return ok(rows.map(toDomain));
    },
  }),
  route<{ body: NewDomain }>({
    method: 'post',
    path: '/domains',
    summary: 'Addition: add a domain',
    description:
      'The domain resolves once its owner has set the DNS record in `verification` and it has been verified.',
    tag,
    scope: 'domains.write',
    body: newDomainBody,
    answers: { 201: domainRecord },
    writes: true,
    async handle(request) {
      const body = await withFraming(request, request.body);
      const data = { ...body, id: newId('domain') };
      return answerWrite(request, writes, 'domain.create', data, (made) =>
        created(`/domains/${made.id}`, made),
      );
    },
  }),
  route<{ params: Params }>({
    method: 'get',
    path: '/domains/{id}',
    summary: 'Addition: get a domain',
    tag,
    scope: 'domains.read',
    params: domainParams,
    answers: { 200: domainRecord },
    async handle({ caller, params: { id } }) {
      const row = await Domain.of(caller.projectId).where({ id }).first();
      if (row === undefined) throw new Refusal('not_found', `There is no domain "${id}"`);
      return ok(toDomain(row));
    },
  }),
  route<{ params: Params; body: DomainChanges }>({
    method: 'patch',
    path: '/domains/{id}',
    summary: 'Addition: change a domain',
    tag,
    scope: 'domains.write',
    params: domainParams,
    body: domainChangesBody,
    answers: { 200: domainRecord },
    writes: true,
    async handle(request) {
      const { id } = request.params;
      const before = await Domain.of(request.caller.projectId).where({ id }).first();
      const data = { id, changes: await withFraming(request, request.body, before) };
      return answerWrite(request, writes, 'domain.update', data, ok);
    },
  }),
  route<{ params: Params }>({
    method: 'post',
    path: '/domains/{id}/verify',
    summary: 'Addition: look for the DNS record of a domain, and verify it',
    tag,
    scope: 'domains.write',
    params: domainParams,
    answers: { 200: domainRecord },
    writes: true,
    handle: (request) => answerWrite(request, writes, 'domain.verify', request.params, ok),
  }),
  route<{ params: Params }>({
    method: 'delete',
    path: '/domains/{id}',
    summary: 'Addition: delete a domain that has no links or QR codes',
    tag,
    scope: 'domains.write',
    params: domainParams,
    answers: { 200: Joi.object({ id: Joi.string().required() }) },
    writes: true,
    handle: (request) => answerWrite(request, writes, 'domain.delete', request.params, ok),
  }),
];

/** The changes with what was found out about a frame around the target, where there will be one. */
async function withFraming<Changes extends DomainChanges>(
  request: Asker,
  changes: Changes,
  before?: Pick<Domain, 'type' | 'target'>,
): Promise<Changes> {
  const { type = before?.type, target = before?.target } = changes;
  if (type !== 'rewrite' || typeof target !== 'string' || !/^https?:/i.test(target)) return changes;
  const frameable = await askFrameable(request, [target]);
  return { ...changes, targetFrameable: frameable.length > 0 };
}

import { domainToUnicode } from 'node:url';
import { deletedRecord } from '../http/deleted.ts';
import { Joi } from '../http/fields.ts';
import {
  created,
  found,
  hasAny,
  ok,
  pageOf,
  type Requester,
  type Route,
  route,
} from '../http/route.ts';
import { newId } from '../ids.ts';
import { containing } from '../infra/like.ts';
import { normalize } from '../infra/normalize.ts';
import { answerWrite } from '../jobs/answer-write.ts';
import { runJob } from '../jobs/run-job.ts';
import { requestFrameable } from '../short-links/destination.ts';
import type { Caller } from '../workspaces/api-keys.ts';
import { byId, readSlice } from '../workspaces/lists.ts';
import { domainChecks } from './check-record.ts';
import { domainCheckJobs, domainJobs } from './jobs.ts';
import { Domain } from './model.ts';
import { domainRecord, toDomain } from './record.ts';
import {
  type DomainChanges,
  type DomainListQuery,
  domainChangesBody,
  domainListQuery,
  domainParams,
  type NewDomain,
  namedBy,
  newDomainBody,
} from './schema.ts';

const read = { tag: 'Domains', scope: 'domains.read', limits: 'records' } as const;
const write = { extension: true, tag: 'Domains', scope: 'domains.write', writes: true } as const;
type Params = { id: string };

const findDomain = ({ projectId }: Caller, ref: string) =>
  Domain.of(projectId).where(namedBy(ref)).first();

export const domainRoutes: Route[] = [
  route<{ query: DomainListQuery }>({
    ...read,
    method: 'get',
    path: '/domains',
    operationId: 'listDomains',
    summary: 'List domains',
    description: 'Returns the domains of the workspace, one page at a time.',
    isHeavy: hasAny('search'),
    query: domainListQuery,
    answers: { 200: Joi.array().items(domainRecord) },
    async handle({ caller, query: { archived, search, ...paging } }) {
      const domains = Domain.of(caller.projectId);
      if (!archived) domains.where('archived', false);
      if (search !== undefined) await narrow(domains, search, caller.projectId);
      return pageOf(await readSlice(domains, byId('asc'), paging), toDomain);
    },
  }),
  route<{ body: NewDomain }>({
    ...write,
    method: 'post',
    path: '/domains',
    operationId: 'createDomain',
    summary: 'Create a domain',
    description:
      'The domain works once its owner has set the DNS record in `verification` and verified it.',
    record: true,
    body: newDomainBody,
    answers: { 201: domainRecord },
    defaults: { type: 'redirect', caseSensitive: true, archived: false, primary: false },
    handle(request) {
      const data = async () => ({
        ...(await withFraming(request, request.body)),
        id: newId('domain'),
      });
      return answerWrite(request, domainJobs['domain.create'], data, (record) =>
        created(`/domains/${record.id}`, record),
      );
    },
  }),
  route<{ params: Params }>({
    ...read,
    method: 'get',
    path: '/domains/{id}',
    operationId: 'retrieveDomain',
    summary: 'Retrieve a domain',
    description: 'Returns a domain.',
    extension: true,
    record: true,
    params: domainParams,
    answers: { 200: domainRecord },
    async handle({ caller, params: { id } }) {
      return ok(toDomain(found(await findDomain(caller, id), `domain "${id}"`)));
    },
  }),
  route<{ params: Params }>({
    ...read,
    method: 'get',
    path: '/domains/{id}/checks',
    operationId: 'retrieveDomainChecks',
    summary: 'Check the setup of a domain',
    description:
      'Returns the DNS records to set, and checks them, the server that answers, and its ' +
      'certificate. The result is cached for 5 s.',
    extension: true,
    params: domainParams,
    answers: { 200: domainChecks },
    async handle(request) {
      const { id: ref } = request.params;
      const row = found(await findDomain(request.caller, ref), `domain "${ref}"`);
      const { id, slug, verified, verification_token: token } = row;
      const domain = { id, slug, verified, token };
      return ok(await runJob(request, domainCheckJobs['domain.check'], domain));
    },
  }),
  route<{ params: Params; body: DomainChanges }>({
    ...write,
    method: 'patch',
    path: '/domains/{id}',
    operationId: 'updateDomain',
    summary: 'Update a domain',
    description: 'Changes a domain. Absent fields stay as they are; null clears a field.',
    record: true,
    params: domainParams,
    body: domainChangesBody,
    answers: { 200: domainRecord },
    async handle(request) {
      const { id } = request.params;
      const before = await findDomain(request.caller, id);
      const data = { id, changes: await withFraming(request, request.body, before) };
      return answerWrite(request, domainJobs['domain.update'], data, ok);
    },
  }),
  route<{ params: Params }>({
    ...write,
    method: 'post',
    path: '/domains/{id}/verify',
    operationId: 'verifyDomain',
    summary: 'Verify a domain',
    description:
      'Looks up the DNS record of the domain and verifies the domain if the record is right.',
    record: true,
    params: domainParams,
    answers: { 200: domainRecord },
    handle: (request) => answerWrite(request, domainJobs['domain.verify'], request.params, ok),
  }),
  route<{ params: Params }>({
    ...write,
    method: 'delete',
    path: '/domains/{id}',
    operationId: 'deleteDomain',
    summary: 'Delete a domain',
    description: 'Deletes a domain. Refused while it has links or QR codes.',
    record: true,
    params: domainParams,
    answers: { 200: deletedRecord },
    handle: (request) => answerWrite(request, domainJobs['domain.delete'], request.params, ok),
  }),
];

/** Adds to the changes whether the target may be shown in a frame, if it will be in one. */
async function withFraming<Changes extends DomainChanges>(
  request: Requester,
  changes: Changes,
  before?: Pick<Domain, 'type' | 'target'>,
): Promise<Changes> {
  const { type = before?.type, target = before?.target } = changes;
  if (type !== 'rewrite' || typeof target !== 'string' || !/^https?:/i.test(target)) return changes;
  const frameable = await requestFrameable(request, [target]);
  return { ...changes, targetFrameable: frameable.length > 0 };
}

/** Narrows a list to the domains whose name contains a text, in ASCII or in Unicode. */
async function narrow(
  domains: ReturnType<typeof Domain.of>,
  search: string,
  projectId: string,
): Promise<void> {
  const part = normalize(search, 'NFKC').toLowerCase();
  const encoded = await Domain.of(projectId).where('slug', 'like', '%xn--%').select('slug');
  const matching = encoded.filter(({ slug }) => domainToUnicode(slug).includes(part));
  const slugs = matching.map(({ slug }) => slug);
  domains.whereRaw('(slug LIKE ? OR slug = ANY(?))', [containing(part), slugs]);
}

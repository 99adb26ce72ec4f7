import { answerWrite, created, ok } from '../api/answer.ts';
import { checkEach } from '../api/input.ts';
import { type ApiRequest, type Route, route } from '../api/route.ts';
import { Refusal } from '../errors.ts';
import { externalIdIn, Joi } from '../infra/fields.ts';
import { type BulkLink, bulk } from '../queues/bulk.ts';
import { writes } from '../queues/writes.ts';
import {
  countLinks,
  countLinksByDomain,
  findLink,
  findLinkByExternalId,
  findLinkByKey,
  listLinks,
} from './queries.ts';
import { bulkAnswer, linkRecord, openPassword, type SealedLink } from './record.ts';
import {
  type BulkChanges,
  bulkBody,
  bulkChangesBody,
  bulkEnvelope,
  type DeleteQuery,
  deleteQuery,
  type LinkChanges,
  type LinkCountQuery,
  type LinkInfoQuery,
  type LinkListQuery,
  linkChangesBody,
  linkCountQuery,
  linkInfoQuery,
  linkListQuery,
  linkParams,
  type NewLink,
  newLinkBody,
  toChanges,
  toNewLink,
} from './schema.ts';

const tag = 'Links';
const BULK_BYTES = 5 * 1024 * 1024;

type Params = { linkId: string };

export const linkRoutes: Route[] = [
  route<{ body: NewLink }>({
    method: 'post',
    path: '/links',
    summary: 'Addition: create a link',
    tag,
    scope: 'links.write',
    body: newLinkBody,
    answers: { 201: linkRecord },
    writes: true,
    handle: (request) => {
      const data = { userId: request.caller.userId, link: toNewLink(request.body) };
      return answerWrite(request, writes, 'link.create', data, (link) =>
        created(`/links/${link.id}`, openPassword(link)),
      );
    },
  }),
  route<{ query: LinkListQuery }>({
    method: 'get',
    path: '/links',
    summary: 'Addition: list links',
    tag,
    scope: 'links.read',
    query: linkListQuery,
    answers: { 200: Joi.array().items(linkRecord) },
    async handle({ caller, query }) {
      refuseOtherWorkspace(query, caller);
      return ok((await listLinks(caller.projectId, query)).map(openPassword));
    },
  }),
  route<{ query: LinkCountQuery }>({
    method: 'get',
    path: '/links/count',
    summary: 'Count links',
    tag,
    scope: 'links.read',
    query: linkCountQuery,
    answers: {
      200: Joi.alternatives(
        Joi.number().integer(),
        Joi.array().items(
          Joi.object({
            domain: Joi.string().required(),
            _count: Joi.number().integer().required(),
          }),
        ),
      ),
    },
    async handle({ caller, query: { groupBy, ...filters } }) {
      refuseOtherWorkspace(filters, caller);
      const count = groupBy === 'domain' ? countLinksByDomain : countLinks;
      return ok(await count(caller.projectId, filters));
    },
  }),
  route<{ query: LinkInfoQuery }>({
    method: 'get',
    path: '/links/info',
    summary: 'Addition: get a link by domain and key, id, or external id',
    tag,
    scope: 'links.read',
    query: linkInfoQuery,
    answers: { 200: linkRecord },
    async handle({ caller, query }) {
      refuseOtherWorkspace(query, caller);
      return ok(openPassword(found(await findByInfo(caller.projectId, query), 'such link')));
    },
  }),
  route<{ body: NewLink }>({
    method: 'put',
    path: '/links/upsert',
    summary: 'Addition: create a link, or change the one that is there',
    description:
      'The link that is there is the one with the same externalId; without an externalId, the one with the ' +
      'same domain and key; without a key, the newest one on the domain with the same destination.',
    tag,
    scope: 'links.write',
    body: newLinkBody,
    answers: { 200: linkRecord, 201: linkRecord },
    writes: true,
    handle: (request) => {
      const data = { userId: request.caller.userId, link: toNewLink(request.body) };
      return answerWrite(request, writes, 'link.upsert', data, (link) =>
        link.id === data.link.id
          ? created(`/links/${link.id}`, openPassword(link))
          : ok(openPassword(link)),
      );
    },
  }),
  route<{ body: unknown[] }>({
    method: 'post',
    path: '/links/bulk',
    summary: 'Create up to 100 links',
    description:
      'Each link stands alone: the answer has, in the order of the request, the record of each link or the ' +
      'error that kept it from being made. Where all fail, the first one’s error is the answer.',
    tag,
    scope: 'links.write',
    body: bulkBody,
    bodyCheck: bulkEnvelope,
    bodyLimit: BULK_BYTES,
    answers: { 200: bulkAnswer },
    writes: true,
    handle: (request) => {
      const data = { userId: request.caller.userId, links: toBulkLinks(request.body) };
      return answerWrite(request, bulk, 'links.create', data, (items) =>
        ok(items.map(openPassword)),
      );
    },
  }),
  route<{ body: BulkChanges }>({
    method: 'patch',
    path: '/links/bulk',
    summary: 'Addition: make the same change to up to 100 links',
    tag,
    scope: 'links.write',
    body: bulkChangesBody,
    bodyLimit: BULK_BYTES,
    answers: { 200: bulkAnswer },
    writes: true,
    handle: (request) => {
      const { linkIds, data } = request.body;
      return answerWrite(
        request,
        bulk,
        'links.update',
        { linkIds, changes: toChanges(data) },
        (items) => ok(items.map(openPassword)),
      );
    },
  }),
  route<{ query: DeleteQuery }>({
    method: 'delete',
    path: '/links/bulk',
    summary: 'Delete up to 100 links for good',
    tag,
    scope: 'links.write',
    query: deleteQuery,
    answers: { 200: Joi.object({ deletedCount: Joi.number().integer().required() }) },
    writes: true,
    handle: (request) => answerWrite(request, bulk, 'links.delete', request.query, ok),
  }),
  route<{ params: Params }>({
    method: 'get',
    path: '/links/{linkId}',
    summary: 'Addition: get a link',
    tag,
    scope: 'links.read',
    params: linkParams,
    answers: { 200: linkRecord },
    async handle({ caller, params: { linkId } }) {
      return ok(openPassword(found(await findByRef(caller.projectId, linkId), `link "${linkId}"`)));
    },
  }),
  route<{ params: Params; body: LinkChanges }>({
    method: 'patch',
    path: '/links/{linkId}',
    summary: 'Addition: change a link',
    description: 'Absent fields stay as they are; null clears a field.',
    tag,
    scope: 'links.write',
    params: linkParams,
    body: linkChangesBody,
    answers: { 200: linkRecord },
    writes: true,
    handle: (request) => {
      const data = { linkId: request.params.linkId, changes: toChanges(request.body) };
      return answerWrite(request, writes, 'link.update', data, (link) => ok(openPassword(link)));
    },
  }),
  route<{ params: Params }>({
    method: 'delete',
    path: '/links/{linkId}',
    summary: 'Delete a link for good',
    tag,
    scope: 'links.write',
    params: linkParams,
    answers: { 200: Joi.object({ id: Joi.string().required() }) },
    writes: true,
    handle: (request) => answerWrite(request, writes, 'link.delete', request.params, ok),
  }),
];

/** The links of a bulk request as their job carries them: checked, or refused each by itself. */
function toBulkLinks(inputs: unknown[]): BulkLink[] {
  return checkEach<NewLink>(newLinkBody, inputs, 'link').map((link, index) =>
    link instanceof Refusal
      ? { refused: link.toJSON(), input: inputs[index] }
      : { link: toNewLink(link), input: inputs[index] },
  );
}

/** @throws Refusal `not_found` when `projectSlug` names another workspace than the key's */
function refuseOtherWorkspace(
  { projectSlug }: { projectSlug?: string },
  { workspaceSlug }: ApiRequest['caller'],
): void {
  if (projectSlug !== undefined && projectSlug !== workspaceSlug) {
    throw new Refusal('not_found', `There is no workspace "${projectSlug}" for this key`);
  }
}

function findByRef(projectId: string, linkId: string): Promise<SealedLink | undefined> {
  const externalId = externalIdIn(linkId);
  return externalId === undefined
    ? findLink(projectId, linkId)
    : findLinkByExternalId(projectId, externalId);
}

function findByInfo(projectId: string, query: LinkInfoQuery): Promise<SealedLink | undefined> {
  const { domain, key, linkId, externalId } = query;
  if (linkId !== undefined) return findByRef(projectId, linkId);
  if (externalId !== undefined) {
    return findLinkByExternalId(projectId, externalIdIn(externalId) ?? externalId);
  }
  return findLinkByKey(projectId, domain!, key!.normalize('NFC'));
}

function found<Record>(record: Record | undefined, what: string): Record {
  if (record === undefined) throw new Refusal('not_found', `There is no ${what}`);
  return record;
}

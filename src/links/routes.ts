import { type Asker, answerWrite, created, ok } from '../api/answer.ts';
import { askFrameable, withFrameable } from '../api/ask-framing.ts';
import { checkEach } from '../api/input.ts';
import { type Route, route } from '../api/route.ts';
import { Refusal } from '../errors.ts';
import { Joi } from '../infra/fields.ts';
import { bulk } from '../queues/bulk.ts';
import { writes } from '../queues/writes.ts';
import type { BulkInput, EventsFate } from '../records/commands.ts';
import { toRouted } from '../records/fields.ts';
import { framedUrls } from '../records/framing.ts';
import { countAnswer, openPassword } from '../records/record.ts';
import { findByInfo, findByRef, found, refuseOtherWorkspace } from '../records/requests.ts';
import { findTwin, linkQueries } from './queries.ts';
import { bulkAnswer, linkRecord } from './record.ts';
import {
  type BulkChanges,
  bulkBody,
  bulkChangesBody,
  bulkEnvelope,
  type DeleteQuery,
  deleteOneQuery,
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
    async handle(request) {
      const link = await withFrameable(request, toNewLink(request.body));
      const data = { userId: request.caller.userId, link };
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
    async handle({ caller, query: { sort, page, pageSize, ...filters } }) {
      refuseOtherWorkspace(filters, caller);
      const order = { sort: sort === 'clicks' ? ('visits' as const) : sort, page, pageSize };
      return ok((await linkQueries.list(caller.projectId, filters, order)).map(openPassword));
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
      200: countAnswer,
    },
    async handle({ caller, query: { groupBy, ...filters } }) {
      refuseOtherWorkspace(filters, caller);
      return ok(
        groupBy === 'domain'
          ? await linkQueries.countByDomain(caller.projectId, filters)
          : await linkQueries.count(caller.projectId, filters),
      );
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
      const { linkId, ...rest } = query;
      const info = linkId === undefined ? rest : { id: linkId };
      const link = await findByInfo(linkQueries, caller.projectId, info);
      return ok(openPassword(found(link, 'such link')));
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
    async handle(request) {
      const wanted = toNewLink(request.body);
      const link = await withFrameable(request, wanted, async () => [
        (await twinOf(request.caller.projectId, wanted)) ?? {},
      ]);
      const data = { userId: request.caller.userId, link };
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
    async handle(request) {
      const links = await toBulkLinks(request, request.body);
      const data = { userId: request.caller.userId, links };
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
    async handle(request) {
      const { linkIds, data } = request.body;
      const changes = await withFrameable(request, toRouted(data), () =>
        Promise.all(linkIds.map((ref) => findByRef(linkQueries, request.caller.projectId, ref))),
      );
      return answerWrite(request, bulk, 'links.update', { linkIds, changes }, (items) =>
        ok(items.map(openPassword)),
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
      const link = await findByRef(linkQueries, caller.projectId, linkId);
      return ok(openPassword(found(link, `link "${linkId}"`)));
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
    async handle(request) {
      const { linkId } = request.params;
      const changes = await withFrameable(request, toRouted(request.body), async () => [
        await findByRef(linkQueries, request.caller.projectId, linkId),
      ]);
      const data = { linkId, changes };
      return answerWrite(request, writes, 'link.update', data, (link) => ok(openPassword(link)));
    },
  }),
  route<{ params: Params; query: { events?: EventsFate } }>({
    method: 'delete',
    path: '/links/{linkId}',
    summary: 'Delete a link for good',
    tag,
    scope: 'links.write',
    params: linkParams,
    query: deleteOneQuery,
    answers: { 200: Joi.object({ id: Joi.string().required() }) },
    writes: true,
    handle: (request) => {
      const data = { ...request.params, ...request.query };
      return answerWrite(request, writes, 'link.delete', data, ok);
    },
  }),
];

/** The links of a bulk request as their job carries them: checked, or refused each by itself. */
async function toBulkLinks(request: Asker, sent: unknown[]): Promise<BulkInput<NewLink>[]> {
  const links = checkEach<NewLink>(newLinkBody, sent, 'link').map((link) =>
    link instanceof Refusal ? link : toNewLink(link),
  );
  const valid = links.filter((link): link is NewLink => !(link instanceof Refusal));
  const frameable = await askFrameable(request, valid.flatMap(framedUrls));
  return links.map((link, index) =>
    link instanceof Refusal
      ? { refused: link.toJSON(), sent: sent[index] }
      : { input: { ...link, frameable: onlyOwn(link, frameable) }, sent: sent[index] },
  );
}

/** Of what may be framed, what a link would show in a frame: jobs and rows carry no more. */
function onlyOwn(link: NewLink, frameable: readonly string[]): string[] {
  const own = new Set(framedUrls(link));
  return frameable.filter((url) => own.has(url));
}

/** The record of the link that an upsert will change. */
async function twinOf(projectId: string, link: NewLink) {
  const id = await findTwin(projectId, link);
  return id === undefined ? undefined : linkQueries.find(projectId, id);
}

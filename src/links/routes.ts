import { mapAccepted, Refusal } from '../errors.ts';
import { deletedCount, deletedRecord } from '../http/deleted.ts';
import { Joi } from '../http/fields.ts';
import { checkEach } from '../http/input.ts';
import { created, ok, type Requester, type Route, route } from '../http/route.ts';
import { newId } from '../ids.ts';
import { answerWrite } from '../jobs/answer-write.ts';
import {
  type AvailabilityQuery,
  availabilityAnswer,
  availabilityQuery,
  findAvailability,
} from '../short-links/availability.ts';
import { type BulkInputs, openItem, toBulkInputs } from '../short-links/bulk.ts';
import { framedUrls, requestFrameable, withFrameable } from '../short-links/destination.ts';
import { isHeavyList } from '../short-links/filters.ts';
import { countAnswer, openPassword } from '../short-links/record.ts';
import {
  answerScheduled,
  changeAnswers,
  SCHEDULING_TEXT,
} from '../short-links/scheduled-routes.ts';
import {
  bulkEnvelope,
  type DeleteOneQuery,
  deleteOneQuery,
  resetText,
  SHARED_DEFAULTS,
  toSharedChanges,
} from '../short-links/schema.ts';
import { simulationRoute } from '../short-links/simulate.ts';
import { checkAnswer, checkNewLinks, toCheckAnswer } from './check-new.ts';
import { LINK_FILTERS } from './filters.ts';
import { linkBulkJobs, linkJobs } from './jobs.ts';
import { LINK_TABLES } from './model.ts';
import { findTwin, linkQueries } from './queries.ts';
import { bulkAnswer, linkRecord } from './record.ts';
import {
  type BulkChanges,
  bulkBody,
  bulkChangesBody,
  type DeleteQuery,
  deleteQuery,
  type LinkBody,
  type LinkCountQuery,
  type LinkInfoQuery,
  type LinkListQuery,
  type LinkUpdateBody,
  linkChangesBody,
  linkCountQuery,
  linkInfoQuery,
  linkListQuery,
  linkParams,
  type NewLink,
  newLinkBody,
} from './schema.ts';

const write = { tag: 'Links', scope: 'links.write', limits: 'records', writes: true } as const;
const read = { tag: 'Links', scope: 'links.read', limits: 'records' } as const;
const BULK_BYTES = 5 * 1024 * 1024;

type Params = { linkId: string };

export const linkRoutes: Route[] = [
  route<{ body: NewLink }>({
    ...write,
    method: 'post',
    path: '/links',
    operationId: 'createLink',
    summary: 'Create a link',
    description: 'Creates a short link. Without a key it gets 7 random characters.',
    extension: true,
    record: true,
    body: newLinkBody,
    answers: { 201: linkRecord },
    defaults: SHARED_DEFAULTS,
    handle(request) {
      const data = async () => ({
        userId: request.caller.userId,
        link: await withFrameable(request, toNewLink(request.caller.projectId, request.body)),
      });
      return answerWrite(request, linkJobs['link.create'], data, (link) =>
        created(`/links/${link.id}`, openPassword(link)),
      );
    },
  }),
  route<{ query: LinkListQuery }>({
    ...read,
    method: 'get',
    path: '/links',
    operationId: 'listLinks',
    summary: 'List links',
    description:
      'Returns the links that match all filters, one page at a time. Archived links are left out unless ' +
      '`showArchived` is true.',
    extension: true,
    query: linkListQuery,
    isHeavy: isHeavyList(LINK_FILTERS),
    answers: { 200: Joi.array().items(linkRecord) },
    handle: (request) => linkQueries.answerList(request),
  }),
  route<{ query: LinkCountQuery }>({
    ...read,
    method: 'get',
    path: '/links/count',
    isHeavy: true,
    operationId: 'countLinks',
    summary: 'Count links',
    description:
      'Returns the number of links that match all filters, or with `groupBy` the number for each domain, tag or folder.',
    query: linkCountQuery,
    answers: { 200: countAnswer },
    handle: (request) => linkQueries.answerCount(request),
  }),
  route<{ query: LinkInfoQuery }>({
    ...read,
    method: 'get',
    path: '/links/info',
    operationId: 'findLink',
    summary: 'Find a link',
    description: 'Returns the link with a domain and key, an id, or an external id.',
    extension: true,
    record: true,
    query: linkInfoQuery,
    answers: { 200: linkRecord },
    handle: ({ caller, query }) => linkQueries.answerInfo(caller, { ...query, id: query.linkId }),
  }),
  route<{ query: AvailabilityQuery }>({
    ...read,
    method: 'get',
    path: '/links/availability',
    operationId: 'retrieveAvailability',
    summary: 'Check whether a slug is free',
    description:
      'Returns whether a new link or QR code can have a slug. On the default short domain, links ' +
      'of other workspaces count as well. The slug can be taken between this response and the ' +
      'creation.',
    extension: true,
    query: availabilityQuery,
    answers: { 200: availabilityAnswer },
    handle: async ({ caller, query }) => ok(await findAvailability(caller.projectId, query)),
  }),
  route<{ body: NewLink }>({
    ...write,
    method: 'put',
    path: '/links/upsert',
    operationId: 'upsertLink',
    summary: 'Create or update a link',
    extension: true,
    description:
      'Updates the link with the same externalId; without an externalId, the link with the same ' +
      'domain and key; without a key, the newest link on the domain with the same destination. ' +
      'Else creates one.',
    record: true,
    body: newLinkBody,
    answers: { 200: linkRecord, 201: linkRecord },
    async handle(request) {
      const draft = toNewLink(request.caller.projectId, request.body);
      const link = await withFrameable(request, draft, async () => [
        (await twinOf(request.caller.projectId, draft)) ?? {},
      ]);
      const data = { userId: request.caller.userId, link };
      return answerWrite(request, linkJobs['link.upsert'], data, (link) =>
        link.id === data.link.id
          ? created(`/links/${link.id}`, openPassword(link))
          : ok(openPassword(link)),
      );
    },
  }),
  route<{ body: unknown[] }>({
    ...write,
    method: 'post',
    path: '/links/bulk',
    operationId: 'bulkCreateLinks',
    summary: 'Create up to 100 links',
    description:
      'Each link is created independently: the response has the record or error of each link, in ' +
      'the order of the request. If all fail, the response is the first error.',
    body: bulkBody,
    bodyCheck: bulkEnvelope,
    bodyLimit: BULK_BYTES,
    answers: { 200: bulkAnswer },
    defaults: SHARED_DEFAULTS,
    handle(request) {
      const data = async () => {
        const { items: links, sent } = await toBulkLinks(request, request.body);
        return { userId: request.caller.userId, links, sent };
      };
      return answerWrite(request, linkBulkJobs['links.create'], data, (items) =>
        ok(items.map(openItem(request.caller))),
      );
    },
  }),
  route<{ body: unknown[] }>({
    ...read,
    method: 'post',
    path: '/links/bulk/check',
    operationId: 'verifyNewLinks',
    summary: 'Check up to 100 new links',
    description:
      'Returns the error that `POST /links/bulk` would return for each link, in the order of the ' +
      'request, such as a taken key. Nothing is created or reserved.',
    extension: true,
    body: bulkBody,
    bodyCheck: bulkEnvelope,
    bodyLimit: BULK_BYTES,
    answers: { 200: checkAnswer },
    async handle({ caller: { projectId, userId }, body }) {
      const checked = await checkEach<NewLink>(newLinkBody, body, 'link');
      const links = mapAccepted(checked, (one) => toNewLink(projectId, one));
      return ok(toCheckAnswer(await checkNewLinks({ projectId, userId }, links)));
    },
  }),
  route<{ body: BulkChanges }>({
    ...write,
    method: 'patch',
    path: '/links/bulk',
    operationId: 'bulkUpdateLinks',
    summary: 'Update up to 100 links',
    description:
      'Makes the same change to up to 100 links. Each link is updated independently: the ' +
      'response has each link or its error, in the order of the request.',
    extension: true,
    body: bulkChangesBody,
    bodyLimit: BULK_BYTES,
    answers: { 200: bulkAnswer },
    async handle(request) {
      const { linkIds, data } = request.body;
      const changes = await withFrameable(
        request,
        toSharedChanges(request.caller.projectId, data),
        () =>
          Promise.all(linkIds.map((ref) => linkQueries.findByRef(request.caller.projectId, ref))),
      );
      return answerWrite(request, linkBulkJobs['links.update'], { linkIds, changes }, (items) =>
        ok(items.map(openItem(request.caller))),
      );
    },
  }),
  route<{ query: DeleteQuery }>({
    ...write,
    method: 'delete',
    path: '/links/bulk',
    operationId: 'bulkDeleteLinks',
    summary: 'Delete up to 100 links',
    description:
      'Deletes up to 100 links. They can be restored for 30 days, unless `events=remove` is given. Unknown ids are ignored.',
    query: deleteQuery,
    answers: { 200: deletedCount },
    handle: (request) => answerWrite(request, linkBulkJobs['links.delete'], request.query, ok),
  }),
  route<{ params: Params }>({
    ...read,
    method: 'get',
    path: '/links/{linkId}',
    operationId: 'retrieveLink',
    summary: 'Retrieve a link',
    description: 'Returns a link.',
    extension: true,
    record: true,
    params: linkParams,
    answers: { 200: linkRecord },
    handle: ({ caller, params }) => linkQueries.answerRecord(caller, params.linkId),
  }),
  route<{ params: Params; body: LinkUpdateBody }>({
    ...write,
    method: 'patch',
    path: '/links/{linkId}',
    operationId: 'updateLink',
    summary: 'Update a link',
    extension: true,
    description:
      'Absent fields stay as they are; null clears a field. After a change of domain or key, the ' +
      `old short link stops working, and is free again after 24 hours. ${SCHEDULING_TEXT}`,
    record: true,
    params: linkParams,
    body: linkChangesBody,
    answers: changeAnswers(linkRecord),
    handle(request) {
      const { linkId } = request.params;
      const { at, ...body } = request.body;
      const { projectId } = request.caller;
      const changes = () =>
        withFrameable(request, toSharedChanges(projectId, body), async () => [
          await linkQueries.findByRef(projectId, linkId),
        ]);
      if (at !== undefined) {
        const requested = { tables: LINK_TABLES, ref: linkId, at, findByRef, changes };
        return answerScheduled(request, linkJobs['link.schedule'], requested);
      }
      const data = async () => ({ linkId, changes: await changes() });
      return answerWrite(request, linkJobs['link.update'], data, (link) => ok(openPassword(link)));
    },
  }),
  simulationRoute({
    tables: LINK_TABLES,
    tag: 'Links',
    path: '/links/{linkId}',
    params: linkParams,
    findByRef,
  }),
  route<{ params: Params }>({
    ...write,
    method: 'post',
    path: '/links/{linkId}/reset',
    operationId: 'resetLink',
    summary: 'Reset the counts of a link',
    description: resetText('link'),
    extension: true,
    record: true,
    params: linkParams,
    answers: { 200: linkRecord },
    handle: (request) =>
      answerWrite(request, linkJobs['link.reset'], request.params, (record) =>
        ok(openPassword(record)),
      ),
  }),
  route<{ params: Params; query: DeleteOneQuery }>({
    ...write,
    method: 'delete',
    path: '/links/{linkId}',
    operationId: 'deleteLink',
    summary: 'Delete a link',
    description:
      'Deletes a link. It can be restored for 30 days, and its events stay; with `events=remove`, ' +
      'both are deleted for good. Its key is ' +
      'free for the workspace at once; on the default short domain, it is free for others ' +
      'after 24 hours. The key of a blocked link is free for nobody until the operator ' +
      'unblocks the link.',
    record: true,
    params: linkParams,
    query: deleteOneQuery,
    answers: { 200: deletedRecord },
    handle: (request) => {
      const data = { ...request.params, ...request.query };
      return answerWrite(request, linkJobs['link.delete'], data, ok);
    },
  }),
];

function findByRef(projectId: string, ref: string) {
  return linkQueries.findByRef(projectId, ref);
}

/** Builds a new link, with its id, from a valid body. */
const toNewLink = (projectId: string, body: LinkBody): NewLink => ({
  ...toSharedChanges(projectId, body),
  id: newId('link'),
});

/** Packs the links of a bulk request for their job: valid inputs, or the refusal of each. */
async function toBulkLinks(request: Requester, sent: unknown[]): Promise<BulkInputs<NewLink>> {
  const { projectId } = request.caller;
  const checked = await checkEach<NewLink>(newLinkBody, sent, 'link');
  const links = mapAccepted(checked, (body) => toNewLink(projectId, body));
  const urls = links.flatMap((link) => (link instanceof Refusal ? [] : framedUrls(link)));
  if (urls.length === 0) return toBulkInputs(projectId, links, sent);
  const frameable = await requestFrameable(request, urls);
  const framed = mapAccepted(links, (link) => ({ ...link, frameable: onlyOwn(link, frameable) }));
  return toBulkInputs(projectId, framed, sent);
}

/**
 * Picks the frameable destinations that a link would show in a frame; jobs and rows hold no others.
 */
function onlyOwn(link: NewLink, frameable: readonly string[]): string[] {
  const urls = new Set(framedUrls(link));
  return frameable.filter((url) => urls.has(url));
}

/** Reads the link that an upsert will change. */
async function twinOf(projectId: string, link: NewLink) {
  const id = await findTwin(projectId, link);
  return id === undefined ? undefined : linkQueries.find(projectId, id);
}

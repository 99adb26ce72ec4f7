import type { Query } from '../../http/input.ts';
import { ok } from '../../http/route.ts';
import {
  type Call,
  type CallQuery,
  fieldsOf,
  type LinkRecord,
  lastValue,
  omit,
  type PeerRoute,
} from '../peer.ts';
import { fromDubChange, fromDubLink, toDubLinks } from './link.ts';

/** An item of this API's bulk answer: a record, or the reason why it failed. */
type BulkItem = LinkRecord | { error: { code: string; message: string }; link: unknown };

/** Maximum number of pages that are read to find the links after a given one. */
const MAX_PAGES = 10;
const PAGE = 100;

const answerLink = async (call: Call, link: LinkRecord) => ok((await toDubLinks(call, [link]))[0]);

export const linkRoutes: PeerRoute[] = [
  {
    method: 'post',
    path: '/links',
    operation: 'createLink',
    takes: 'json',
    async answer({ body }, call) {
      const link = fromDubLink(fieldsOf(body));
      return answerLink(call, (await call<LinkRecord>('createLink', { body: link })).body);
    },
  },
  {
    method: 'get',
    path: '/links',
    operation: 'listLinks',
    async answer({ query }, call) {
      const { startingAfter, ...filters } = fromDubQuery(query);
      const ref = [startingAfter].flat().at(-1);
      const links =
        ref === undefined
          ? (await call<LinkRecord[]>('listLinks', { query: filters })).body
          : await listAfter(call, filters, ref);
      return ok(await toDubLinks(call, links));
    },
  },
  {
    method: 'get',
    path: '/links/count',
    operation: 'countLinks',
    async answer({ query }, call) {
      return ok((await call('countLinks', { query: fromDubQuery(query) })).body);
    },
  },
  {
    method: 'get',
    path: '/links/info',
    operation: 'findLink',
    async answer({ query }, call) {
      const named = omit(query, ['workspaceId', 'projectSlug']);
      return answerLink(call, (await call<LinkRecord>('findLink', { query: named })).body);
    },
  },
  {
    method: 'put',
    path: '/links/upsert',
    operation: 'upsertLink',
    takes: 'json',
    async answer({ body }, call) {
      const link = fromDubLink(fieldsOf(body));
      return answerLink(call, (await call<LinkRecord>('upsertLink', { body: link })).body);
    },
  },
  {
    method: 'post',
    path: '/links/bulk',
    operation: 'bulkCreateLinks',
    takes: 'json',
    async answer({ body }, call) {
      const links = Array.isArray(body) ? body.map((link) => fromDubLink(fieldsOf(link))) : body;
      const items = (await call<BulkItem[]>('bulkCreateLinks', { body: links })).body;
      const created = new Map(
        (await toDubLinks(call, items.filter(isLink))).map((link) => [link['id'], link]),
      );
      return ok(
        items.map((item, index) =>
          isLink(item)
            ? created.get(item.id)
            : {
                link: (body as unknown[])[index],
                error: item.error.message,
                code: item.error.code,
              },
        ),
      );
    },
  },
  {
    method: 'patch',
    path: '/links/bulk',
    operation: 'bulkUpdateLinks',
    takes: 'json',
    async answer({ body }, call) {
      const { linkIds, externalIds, data, ...rest } = fieldsOf(body);
      const ids = [
        ...(Array.isArray(linkIds) ? (linkIds as unknown[]) : []),
        ...(Array.isArray(externalIds) ? (externalIds as unknown[]).map(asExternal) : []),
      ];
      const changes = { ...rest, linkIds: ids, data: fromDubChange(fieldsOf(data)) };
      const items = (await call<BulkItem[]>('bulkUpdateLinks', { body: changes })).body;
      return ok(await toDubLinks(call, items.filter(isLink)));
    },
  },
  {
    method: 'delete',
    path: '/links/bulk',
    operation: 'bulkDeleteLinks',
    async answer({ query }, call) {
      return ok((await call('bulkDeleteLinks', { query })).body);
    },
  },
  {
    method: 'get',
    path: '/links/{linkId}',
    operation: 'retrieveLink',
    async answer({ params }, call) {
      return answerLink(call, (await call<LinkRecord>('retrieveLink', { params })).body);
    },
  },
  {
    method: 'patch',
    path: '/links/{linkId}',
    operation: 'updateLink',
    takes: 'json',
    async answer({ params, body }, call) {
      const changes = fromDubChange(fieldsOf(body));
      return answerLink(
        call,
        (await call<LinkRecord>('updateLink', { params, body: changes })).body,
      );
    },
  },
  {
    method: 'delete',
    path: '/links/{linkId}',
    operation: 'deleteLink',
    async answer({ params }, call) {
      return ok((await call('deleteLink', { params })).body);
    },
  },
];

const isLink = (item: BulkItem): item is LinkRecord => !('error' in item);

const asExternal = (id: unknown): unknown =>
  typeof id === 'string' && !id.startsWith('ext_') ? `ext_${id}` : id;

/**
 * Converts filters and page of a link list. `withTags` has no effect, because answers always
 * contain tags.
 */
function fromDubQuery(query: Query): CallQuery {
  const { sortBy, sortOrder, ...rest } = omit(query, ['withTags', 'workspaceId', 'projectSlug']);
  return {
    ...rest,
    sort: sortBy,
    // Lists are always descending; anything else is refused.
    sortOrder: sortOrder === 'desc' ? undefined : sortOrder,
  };
}

/** Lists the links that follow one of them. */
async function listAfter(call: Call, query: CallQuery, ref: string): Promise<LinkRecord[]> {
  const { body: last } = await call<LinkRecord>('retrieveLink', { params: { linkId: ref } });
  const size = Number(lastValue(query, 'pageSize') ?? PAGE);
  // Times in answers are whole milliseconds.
  const createdBefore = new Date(Date.parse(last.createdAt) + 1).toISOString();
  const isAfter = ({ createdAt, id }: LinkRecord) =>
    createdAt < last.createdAt || (createdAt === last.createdAt && id < last.id);
  const following: LinkRecord[] = [];
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const { body: links } = await call<LinkRecord[]>('listLinks', {
      query: { ...query, createdBefore, page: String(page) },
    });
    following.push(...links.filter(isAfter));
    if (links.length < size || following.length >= size) break;
  }
  return following.slice(0, size);
}

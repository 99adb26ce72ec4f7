import { ok } from '../../http/answer.ts';
import type { Query } from '../../http/input.ts';
import {
  type Ask,
  type AskedQuery,
  fieldsOf,
  type LinkRecord,
  one,
  type PeerRoute,
  without,
} from '../peer.ts';
import { fromDubChange, fromDubLink, toDubLinks } from './link.ts';

/** A place of a bulk answer of ours: a record, or why there is none. */
type BulkItem = LinkRecord | { error: { code: string; message: string }; link: unknown };

/** Most pages that are read to find the links after one. */
const MOST_PAGES = 10;
const PAGE = 100;

const answerLink = async (ask: Ask, link: LinkRecord) => ok((await toDubLinks(ask, [link]))[0]);

export const linkRoutes: PeerRoute[] = [
  {
    method: 'post',
    path: '/links',
    operation: 'createLink',
    takes: 'json',
    async answer({ body }, ask) {
      const link = fromDubLink(fieldsOf(body));
      return answerLink(ask, (await ask<LinkRecord>('createLink', { body: link })).body);
    },
  },
  {
    method: 'get',
    path: '/links',
    operation: 'listLinks',
    async answer({ query }, ask) {
      const { startingAfter, ...filters } = fromDubQuery(query);
      const ref = [startingAfter].flat().at(-1);
      const links =
        ref === undefined
          ? (await ask<LinkRecord[]>('listLinks', { query: filters })).body
          : await listAfter(ask, filters, ref);
      return ok(await toDubLinks(ask, links));
    },
  },
  {
    method: 'get',
    path: '/links/count',
    operation: 'countLinks',
    async answer({ query }, ask) {
      return ok((await ask('countLinks', { query: fromDubQuery(query) })).body);
    },
  },
  {
    method: 'get',
    path: '/links/info',
    operation: 'findLink',
    async answer({ query }, ask) {
      const named = without(query, ['workspaceId', 'projectSlug']);
      return answerLink(ask, (await ask<LinkRecord>('findLink', { query: named })).body);
    },
  },
  {
    method: 'put',
    path: '/links/upsert',
    operation: 'upsertLink',
    takes: 'json',
    async answer({ body }, ask) {
      const link = fromDubLink(fieldsOf(body));
      return answerLink(ask, (await ask<LinkRecord>('upsertLink', { body: link })).body);
    },
  },
  {
    method: 'post',
    path: '/links/bulk',
    operation: 'bulkCreateLinks',
    takes: 'json',
    async answer({ body }, ask) {
      const links = Array.isArray(body) ? body.map((link) => fromDubLink(fieldsOf(link))) : body;
      const items = (await ask<BulkItem[]>('bulkCreateLinks', { body: links })).body;
      const made = new Map(
        (await toDubLinks(ask, items.filter(isLink))).map((link) => [link['id'], link]),
      );
      return ok(
        items.map((item, index) =>
          isLink(item)
            ? made.get(item.id)
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
    async answer({ body }, ask) {
      const { linkIds, externalIds, data, ...rest } = fieldsOf(body);
      const ids = [
        ...(Array.isArray(linkIds) ? (linkIds as unknown[]) : []),
        ...(Array.isArray(externalIds) ? (externalIds as unknown[]).map(asExternal) : []),
      ];
      const changes = { ...rest, linkIds: ids, data: fromDubChange(fieldsOf(data)) };
      const items = (await ask<BulkItem[]>('bulkUpdateLinks', { body: changes })).body;
      return ok(await toDubLinks(ask, items.filter(isLink)));
    },
  },
  {
    method: 'delete',
    path: '/links/bulk',
    operation: 'bulkDeleteLinks',
    async answer({ query }, ask) {
      return ok((await ask('bulkDeleteLinks', { query })).body);
    },
  },
  {
    method: 'get',
    path: '/links/{linkId}',
    operation: 'retrieveLink',
    async answer({ params }, ask) {
      return answerLink(ask, (await ask<LinkRecord>('retrieveLink', { params })).body);
    },
  },
  {
    method: 'patch',
    path: '/links/{linkId}',
    operation: 'updateLink',
    takes: 'json',
    async answer({ params, body }, ask) {
      const changes = fromDubChange(fieldsOf(body));
      return answerLink(ask, (await ask<LinkRecord>('updateLink', { params, body: changes })).body);
    },
  },
  {
    method: 'delete',
    path: '/links/{linkId}',
    operation: 'deleteLink',
    async answer({ params }, ask) {
      return ok((await ask('deleteLink', { params })).body);
    },
  },
];

const isLink = (item: BulkItem): item is LinkRecord => !('error' in item);

const asExternal = (id: unknown): unknown =>
  typeof id === 'string' && !id.startsWith('ext_') ? `ext_${id}` : id;

/** Filters and page of a list of links. `withTags` asks for tags in the answer, which has them in any case. */
function fromDubQuery(query: Query): AskedQuery {
  const { sortBy, sortOrder, ...rest } = without(query, ['withTags', 'workspaceId', 'projectSlug']);
  return {
    ...rest,
    sort: sortBy,
    // Lists are always descending; anything else is refused.
    sortOrder: sortOrder === 'desc' ? undefined : sortOrder,
  };
}

/** The links that a list has after one of them. */
async function listAfter(ask: Ask, query: AskedQuery, ref: string): Promise<LinkRecord[]> {
  const { body: last } = await ask<LinkRecord>('retrieveLink', { params: { linkId: ref } });
  const size = Number(one(query, 'pageSize') ?? PAGE);
  // Times are answered in whole milliseconds.
  const createdBefore = new Date(Date.parse(last.createdAt) + 1).toISOString();
  const isAfter = ({ createdAt, id }: LinkRecord) =>
    createdAt < last.createdAt || (createdAt === last.createdAt && id < last.id);
  const found: LinkRecord[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const { body: links } = await ask<LinkRecord[]>('listLinks', {
      query: { ...query, createdBefore, page: String(page) },
    });
    found.push(...links.filter(isAfter));
    if (links.length < size || found.length >= size) break;
  }
  return found.slice(0, size);
}

import { Refusal } from '../../errors.ts';
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
import { translated } from './translated.ts';

/** An item of this API's bulk answer: a record, or the reason why it failed. */
type BulkItem = LinkRecord | { error: { code: string; message: string }; link: unknown };

/** Maximum number of pages that are read to find the links after a given one. */
const MAX_PAGES = 10;
const PAGE = 100;

const linkOutput = async (link: LinkRecord, _: Query, call: Call) =>
  (await toDubLinks(call, [link]))[0];

export const linkRoutes: PeerRoute[] = [
  translated('post', '/links', 'createLink', { body: fromDubLink, output: linkOutput }),
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
  translated('get', '/links/count', 'countLinks', { query: fromDubQuery }),
  translated('get', '/links/info', 'findLink', {
    query: (query) => omit(query, ['workspaceId', 'projectSlug']),
    output: linkOutput,
  }),
  translated('put', '/links/upsert', 'upsertLink', { body: fromDubLink, output: linkOutput }),
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
  translated('delete', '/links/bulk', 'bulkDeleteLinks', { query: (query) => query }),
  translated('get', '/links/{linkId}', 'retrieveLink', { output: linkOutput }),
  translated('patch', '/links/{linkId}', 'updateLink', {
    body: fromDubChange,
    output: linkOutput,
  }),
  translated('delete', '/links/{linkId}', 'deleteLink'),
];

const isLink = (item: BulkItem): item is LinkRecord => !('error' in item);

const asExternal = (id: unknown): unknown =>
  typeof id === 'string' && !id.startsWith('ext_') ? `ext_${id}` : id;

/**
 * Converts filters and page of a link list. `withTags` has no effect, because answers always
 * contain tags.
 */
function fromDubQuery(query: Query): CallQuery {
  const { sortBy, ...rest } = omit(query, ['withTags', 'workspaceId', 'projectSlug']);
  return { ...rest, sort: sortBy };
}

/** Lists the links that follow one of them. */
async function listAfter(call: Call, query: CallQuery, ref: string): Promise<LinkRecord[]> {
  if (lastValue(query, 'sortOrder') === 'asc') {
    throw new Refusal('unprocessable_entity', 'sortOrder must be desc with startingAfter');
  }
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

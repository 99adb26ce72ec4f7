import { Refusal } from '../../errors.ts';
import type { Query } from '../../http/input.ts';
import { ok } from '../../http/route.ts';
import {
  type Call,
  type CallQuery,
  type Fields,
  fieldsOf,
  ifReadable,
  type LinkRecord,
  omit,
  type PeerRoute,
} from '../peer.ts';
import { type Cursor, cursorOf, recordAt, sizeIn } from './cursor.ts';
import {
  changesUtm,
  fromDubChange,
  fromDubLink,
  toDubLinks,
  withAllUtm,
  withRefInPlace,
} from './link.ts';
import { translated } from './translated.ts';

/** An item of this API's bulk answer: a record, or the reason why it failed. */
type BulkItem = LinkRecord | { error: { code: string; message: string }; link: unknown };

/** Maximum number of pages that are read to find the links after or before a given one. */
const MAX_PAGES = 10;
const PAGE = 100;

/** Refuses a folder that does not exist with 404; keys that may not read folders are not checked. */
async function checkFolder({ folderId }: Fields, call: Call): Promise<void> {
  if (typeof folderId !== 'string') return;
  try {
    await call('retrieveFolder', { params: { id: folderId } });
  } catch (thrown) {
    if (!(thrown instanceof Refusal) || thrown.code !== 'forbidden') throw thrown;
  }
}

/** Makes an endpoint that creates a link, or changes the one that exists. */
const creating = (
  method: 'post' | 'put',
  path: string,
  operation: 'createLink' | 'upsertLink',
): PeerRoute => ({
  method,
  path,
  operation,
  takes: 'json',
  async answer({ body }, call) {
    const link = fromDubLink(fieldsOf(body));
    await checkFolder(link, call);
    return ok(await linkOutput((await call<LinkRecord>(operation, { body: link })).body, {}, call));
  },
});

/** Makes an endpoint that changes a link. */
const changing = (method: 'patch' | 'put'): PeerRoute => ({
  method,
  path: '/links/{linkId}',
  operation: 'updateLink',
  takes: 'json',
  async answer({ params, body }, call) {
    const change = fromDubChange(fieldsOf(body));
    await checkFolder(change, call);
    const link = changesUtm(change)
      ? await ifReadable(call<LinkRecord>('retrieveLink', { params }))
      : undefined;
    if (link === undefined) refuseRefAlone(change);
    const input = {
      params,
      body: link === undefined ? change : withAllUtm(withRefInPlace(change, link.body), link.body),
    };
    return ok(await linkOutput((await call<LinkRecord>('updateLink', input)).body, {}, call));
  },
});

/** @throws Refusal for a `ref` without the URL to which it belongs, unless the link can be read */
function refuseRefAlone({ ref }: Fields): void {
  if (ref === undefined) return;
  throw new Refusal('unprocessable_entity', 'ref must come with url: it is a part of the URL');
}

const linkOutput = async (link: LinkRecord, _: Query, call: Call) =>
  (await toDubLinks(call, [link]))[0];

export const linkRoutes: PeerRoute[] = [
  creating('post', '/links', 'createLink'),
  {
    method: 'get',
    path: '/links',
    operation: 'listLinks',
    async answer({ query }, call) {
      const cursor = cursorOf(query);
      const filters = fromDubQuery(omit(query, ['startingAfter', 'endingBefore']));
      const links =
        cursor === undefined
          ? (await call<LinkRecord[]>('listLinks', { query: filters })).body
          : await listFrom(call, filters, cursor);
      return ok(await toDubLinks(call, links));
    },
  },
  translated('get', '/links/count', 'countLinks', { query: fromDubQuery }),
  translated('get', '/links/info', 'findLink', {
    query: (query) => omit(query, ['workspaceId', 'projectSlug']),
    output: linkOutput,
  }),
  translated('get', '/links/metatags', 'retrieveMetatags', { query: (query) => query }),
  creating('put', '/links/upsert', 'upsertLink'),
  {
    method: 'post',
    path: '/links/bulk',
    operation: 'bulkCreateLinks',
    takes: 'json',
    async answer({ body }, call) {
      const links = Array.isArray(body) ? body.map((link) => fromDubLink(fieldsOf(link))) : body;
      const items = (await call<BulkItem[]>('bulkCreateLinks', { body: links })).body;
      return ok(await toDubItems(call, items, (index) => (body as unknown[])[index]));
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
      const change = fromDubChange(fieldsOf(data));
      refuseRefAlone(change);
      const changes = { ...rest, linkIds: ids, data: change };
      const items = (await call<BulkItem[]>('bulkUpdateLinks', { body: changes })).body;
      return ok(await toDubItems(call, items, (index) => ({ id: ids[index] })));
    },
  },
  translated('delete', '/links/bulk', 'bulkDeleteLinks', { query: (query) => query }),
  translated('get', '/links/{linkId}', 'retrieveLink', { output: linkOutput }),
  changing('patch'),
  changing('put'),
  translated('delete', '/links/{linkId}', 'deleteLink'),
];

/**
 * Converts the items of a bulk answer to Dub's format.
 *
 * @param linkAt returns what an error names as its link, by the index of the item
 */
async function toDubItems(
  call: Call,
  items: readonly BulkItem[],
  linkAt: (index: number) => unknown,
): Promise<unknown[]> {
  const links = await toDubLinks(call, items.filter(isLink));
  const byId = new Map(links.map((link) => [link['id'], link]));
  return items.map((item, index) =>
    isLink(item)
      ? byId.get(item.id)
      : { link: linkAt(index), error: item.error.message, code: item.error.code },
  );
}

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

/** Lists the links that follow or precede one of them. */
async function listFrom(call: Call, filters: CallQuery, cursor: Cursor): Promise<LinkRecord[]> {
  const input = { params: { linkId: cursor.id } };
  const link = await recordAt(cursor, call<LinkRecord>('retrieveLink', input));
  const size = sizeIn(filters, 'pageSize', { most: PAGE, otherwise: PAGE });
  return (cursor.side === 'after' ? listAfter : listBefore)(call, filters, link, size);
}

/** Lists the links that follow one of them. */
async function listAfter(
  call: Call,
  filters: CallQuery,
  last: LinkRecord,
  size: number,
): Promise<LinkRecord[]> {
  // Times in answers are whole milliseconds.
  const createdBefore = new Date(Date.parse(last.createdAt) + 1).toISOString();
  const following: LinkRecord[] = [];
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const { body: links } = await call<LinkRecord[]>('listLinks', {
      query: { ...filters, createdBefore, page: String(page) },
    });
    following.push(...links.filter((link) => isNewer(last, link)));
    if (links.length < size || following.length >= size) break;
  }
  return following.slice(0, size);
}

/** Lists the links that precede one of them, which are on the last pages of all newer links. */
async function listBefore(
  call: Call,
  filters: CallQuery,
  first: LinkRecord,
  size: number,
): Promise<LinkRecord[]> {
  const createdAfter = new Date(Date.parse(first.createdAt) - 1).toISOString();
  const newer = { ...filters, createdAfter };
  const { body: count } = await call<number>('countLinks', {
    query: omit(newer, ['page', 'pageSize', 'sort', 'sortOrder']),
  });
  const lastPage = Math.ceil(count / size);
  let preceding: LinkRecord[] = [];
  for (let page = lastPage; page > Math.max(0, lastPage - MAX_PAGES); page -= 1) {
    const { body: links } = await call<LinkRecord[]>('listLinks', {
      query: { ...newer, page: String(page) },
    });
    preceding = [...links.filter((link) => isNewer(link, first)), ...preceding];
    if (preceding.length >= size) break;
  }
  return preceding.slice(-size);
}

/** True when a link comes before another in a list, which is sorted by time of creation and id. */
const isNewer = (link: LinkRecord, other: LinkRecord): boolean =>
  link.createdAt > other.createdAt || (link.createdAt === other.createdAt && link.id > other.id);

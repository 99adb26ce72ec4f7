import { Refusal } from '../../errors.ts';
import { noContent, ok } from '../../http/route.ts';
import { listAll } from '../links.ts';
import { type Call, fieldsOf, joinLists, lastValue, type PeerRoute } from '../peer.ts';
import { invalid, Problem, tagNotFound } from './problem.ts';
import { pageOf, paginated, visitsSummary } from './short-url.ts';

export interface TagRecord {
  id: string;
  name: string;
}

/** Maximum number of tags on a page of this API. */
const PAGE = 100;
/** Maximum number of tags per link, and of tags that one request creates. */
const MAX_OF_A_LINK = 50;

/** Finds a tag by name, ignoring case. */
export async function findTag(call: Call, name: string): Promise<TagRecord | undefined> {
  const tags = await listAll<TagRecord>(call, 'listTags', { search: name }, PAGE);
  const normalized = name.trim().normalize('NFC').toLowerCase();
  return tags.find((tag) => tag.name.toLowerCase() === normalized);
}

/** @throws Problem when there is no tag with the name */
export async function tagNamed(call: Call, name: string): Promise<TagRecord> {
  const tag = name === '' ? undefined : await findTag(call, name);
  if (tag === undefined) throw tagNotFound(name);
  return tag;
}

/** Creates the missing tags that a body names, as Shlink does. */
export async function makeTags(call: Call, names: unknown): Promise<void> {
  if (!Array.isArray(names) || names.length > MAX_OF_A_LINK) return;
  for (const name of new Set(names as unknown[])) {
    if (typeof name !== 'string' || name === '' || (await findTag(call, name)) !== undefined)
      continue;
    try {
      await call('createTag', { body: { name } });
    } catch (thrown) {
      // Another request has created it meanwhile.
      if (!(thrown instanceof Refusal) || thrown.code !== 'conflict') throw thrown;
    }
  }
}

export const tagRoutes: PeerRoute[] = [
  {
    method: 'get',
    path: '/tags',
    operation: 'listTags',
    async answer({ query }, call) {
      const tags = await tagsOf(call, lastValue(query, 'searchTerm'));
      const page = pageOf(query, Math.max(tags.length, 1), Number.MAX_SAFE_INTEGER);
      const data = tags.slice((page.page - 1) * page.size, page.page * page.size);
      const names = data.map(({ name }) => name);
      return ok({ tags: paginated(names, page, tags.length) });
    },
  },
  {
    method: 'get',
    path: '/tags/stats',
    operation: 'listTags',
    async answer({ query }, call) {
      const order = lastValue(query, 'orderBy') ?? 'tag-ASC';
      if (order !== 'tag-ASC' && order !== 'tag-DESC') {
        throw invalid('orderBy', 'must be tag-ASC or tag-DESC');
      }
      const tags = await tagsOf(call, lastValue(query, 'searchTerm'));
      if (order === 'tag-DESC') tags.reverse();
      const page = pageOf(query, PAGE, PAGE);
      const data: object[] = [];
      // One at a time, because concurrent requests would wait for each other's turn.
      for (const { id, name } of tags.slice((page.page - 1) * page.size, page.page * page.size)) {
        data.push(await statsOf(call, id, name));
      }
      return ok({ tags: paginated(data, page, tags.length) });
    },
  },
  {
    method: 'put',
    path: '/tags',
    operation: 'updateTag',
    takes: 'any',
    async answer({ body }, call) {
      const { oldName, newName } = fieldsOf(body);
      const { id } = await tagNamed(call, typeof oldName === 'string' ? oldName : '');
      try {
        await call('updateTag', { params: { id }, body: { name: newName } });
      } catch (thrown) {
        if (!(thrown instanceof Refusal) || thrown.code !== 'conflict') throw thrown;
        const renaming = `"${String(oldName)}" to "${String(newName)}"`;
        const detail = `You cannot rename tag ${renaming}, because it already exists`;
        const members = { oldName, newName };
        throw new Problem('conflict', 'tag-conflict', 'Tag conflict', detail, members);
      }
      return noContent;
    },
  },
  {
    method: 'delete',
    path: '/tags',
    operation: 'deleteTag',
    async answer({ query }, call) {
      const names = new Set([joinLists(query)['tags'] ?? []].flat());
      if (names.size > PAGE) throw invalid('tags', `must be at most ${PAGE}`);
      for (const name of names) {
        const tag = await findTag(call, name);
        if (tag !== undefined) await call('deleteTag', { params: { id: tag.id } });
      }
      return noContent;
    },
  },
];

const tagsOf = (call: Call, search: string | undefined): Promise<TagRecord[]> =>
  listAll<TagRecord>(call, 'listTags', search === undefined ? {} : { search }, PAGE);

/** Returns a tag with the numbers of its links and their visits. */
async function statsOf(call: Call, tagId: string, tag: string): Promise<object> {
  const links = await call<number>('countLinks', { query: { tagId, showArchived: 'true' } });
  const visits = await call<{ clicks: number }>('retrieveAnalytics', {
    query: { tagId, interval: 'all_unfiltered' },
  });
  const visitsOfTag = visitsSummary(visits.body.clicks);
  return { tag, shortUrlsCount: links.body, visitsSummary: visitsOfTag };
}

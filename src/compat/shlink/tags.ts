import { Refusal } from '../../errors.ts';
import { ok } from '../../http/answer.ts';
import type { Answer } from '../../http/route.ts';
import { listAll } from '../links.ts';
import { type Ask, fieldsOf, one, type PeerRoute } from '../peer.ts';
import { invalid, Problem, tagNotFound } from './problem.ts';
import { pageOf, paginated, visitsSummary } from './short-url.ts';

export interface TagRecord {
  id: string;
  name: string;
}

/** Most tags of one page of ours. */
const PAGE = 100;
/** Most tags that a link has: only so many are made for one. */
const MOST_OF_A_LINK = 50;
const NO_CONTENT: Answer = { status: 204, body: undefined };

/** The tag with a name, regardless of case. */
export async function findTag(ask: Ask, name: string): Promise<TagRecord | undefined> {
  const tags = await listAll<TagRecord>(ask, 'listTags', { search: name }, PAGE);
  const wanted = name.trim().normalize('NFC').toLowerCase();
  return tags.find((tag) => tag.name.toLowerCase() === wanted);
}

/** @throws Problem where there is no tag with the name */
export async function tagNamed(ask: Ask, name: string): Promise<TagRecord> {
  const tag = name === '' ? undefined : await findTag(ask, name);
  if (tag === undefined) throw tagNotFound(name);
  return tag;
}

/** Makes the tags that a body names and that are not there, as Shlink does. */
export async function makeTags(ask: Ask, names: unknown): Promise<void> {
  if (!Array.isArray(names) || names.length > MOST_OF_A_LINK) return;
  for (const name of new Set(names as unknown[])) {
    if (typeof name !== 'string' || name === '' || (await findTag(ask, name)) !== undefined)
      continue;
    try {
      await ask('createTag', { body: { name } });
    } catch (thrown) {
      // Another request has made it meanwhile.
      if (!(thrown instanceof Refusal) || thrown.code !== 'conflict') throw thrown;
    }
  }
}

export const tagRoutes: PeerRoute[] = [
  {
    method: 'get',
    path: '/tags',
    operation: 'listTags',
    async answer({ query }, ask) {
      const tags = await tagsOf(ask, one(query, 'searchTerm'));
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
    async answer({ query }, ask) {
      const order = one(query, 'orderBy') ?? 'tag-ASC';
      if (order !== 'tag-ASC' && order !== 'tag-DESC') {
        throw invalid('orderBy', 'must be tag-ASC or tag-DESC');
      }
      const tags = await tagsOf(ask, one(query, 'searchTerm'));
      if (order === 'tag-DESC') tags.reverse();
      const page = pageOf(query, PAGE, PAGE);
      const data: object[] = [];
      // One by one: all at once they would wait for each other's turn.
      for (const { id, name } of tags.slice((page.page - 1) * page.size, page.page * page.size)) {
        data.push(await statsOf(ask, id, name));
      }
      return ok({ tags: paginated(data, page, tags.length) });
    },
  },
  {
    method: 'put',
    path: '/tags',
    operation: 'updateTag',
    takes: 'json',
    async answer({ body }, ask) {
      const { oldName, newName } = fieldsOf(body);
      const { id } = await tagNamed(ask, typeof oldName === 'string' ? oldName : '');
      try {
        await ask('updateTag', { params: { id }, body: { name: newName } });
      } catch (thrown) {
        if (!(thrown instanceof Refusal) || thrown.code !== 'conflict') throw thrown;
        const renaming = `"${String(oldName)}" to "${String(newName)}"`;
        const detail = `You cannot rename tag ${renaming}, because it already exists`;
        const members = { oldName, newName };
        throw new Problem('conflict', 'tag-conflict', 'Tag conflict', detail, members);
      }
      return NO_CONTENT;
    },
  },
  {
    method: 'delete',
    path: '/tags',
    operation: 'deleteTag',
    async answer({ query }, ask) {
      const names = new Set([query['tags[]'] ?? query['tags'] ?? []].flat());
      if (names.size > PAGE) throw invalid('tags', `must be at most ${PAGE}`);
      for (const name of names) {
        const tag = await findTag(ask, name);
        if (tag !== undefined) await ask('deleteTag', { params: { id: tag.id } });
      }
      return NO_CONTENT;
    },
  },
];

const tagsOf = (ask: Ask, search: string | undefined): Promise<TagRecord[]> =>
  listAll<TagRecord>(ask, 'listTags', search === undefined ? {} : { search }, PAGE);

/** A tag with the numbers of its links and their visits. */
async function statsOf(ask: Ask, tagId: string, tag: string): Promise<object> {
  const links = await ask<number>('countLinks', { query: { tagId, showArchived: 'true' } });
  const visits = await ask<{ clicks: number }>('retrieveAnalytics', {
    query: { tagId, interval: 'all_unfiltered' },
  });
  const visitsOfTag = visitsSummary(visits.body.clicks);
  return { tag, shortUrlsCount: links.body, visitsSummary: visitsOfTag };
}

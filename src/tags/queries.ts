import { found } from '../http/route.ts';
import { byText, type Slice } from '../infra/keyset.ts';
import { byName, named, readSlice, type SearchQuery } from '../workspaces/lists.ts';
import { Tag } from './model.ts';
import { type TagRecord, toTag } from './record.ts';

export interface TagListQuery extends SearchQuery {
  sortBy: 'name' | 'createdAt';
  sortOrder: 'asc' | 'desc';
  ids?: string[];
}

/** Reads a page of a workspace's tags. */
export function listTags(projectId: string, query: TagListQuery): Promise<Slice<Tag>> {
  const { sortBy, sortOrder: direction, ids } = query;
  const tags = named(Tag.of(projectId), query);
  if (ids !== undefined) tags.whereIn('id', ids);
  const created = { sql: 'created_at', type: 'timestamptz' } as const;
  const order =
    sortBy === 'name' ? byName(direction) : { keys: [created, byText('id')], direction };
  return readSlice(tags, order, query);
}

/** Reads a tag by its id. @throws Refusal `not_found` */
export async function readTag(projectId: string, id: string): Promise<TagRecord> {
  const row = await Tag.of(projectId).where({ id }).first();
  return toTag(found(row, `tag "${id}"`));
}

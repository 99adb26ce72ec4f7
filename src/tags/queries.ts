import { found } from '../http/route.ts';
import { named, pageOf, type SearchQuery } from '../workspaces/lists.ts';
import { Tag } from './model.ts';
import { type TagRecord, toTag } from './record.ts';

export interface TagListQuery extends SearchQuery {
  sortBy: 'name' | 'createdAt';
  sortOrder: 'asc' | 'desc';
  ids?: string[];
}

/** Reads a page of a workspace's tags. */
export async function listTags(projectId: string, query: TagListQuery): Promise<TagRecord[]> {
  const { sortBy, sortOrder, ids } = query;
  const tags = named(Tag.of(projectId), query);
  if (ids !== undefined) tags.whereIn('id', ids);
  tags.orderBy(sortBy === 'name' ? 'name_key' : 'created_at', sortOrder).orderBy('id', sortOrder);
  return (await pageOf(tags, query)).map(toTag);
}

/** Reads a tag by its id. @throws Refusal `not_found` */
export async function readTag(projectId: string, id: string): Promise<TagRecord> {
  const row = await Tag.of(projectId).where({ id }).first();
  return toTag(found(row, `tag "${id}"`));
}

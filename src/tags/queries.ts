import { found } from '../http/route.ts';
import { containing } from '../infra/like.ts';
import { type NameListQuery, pageOf } from '../workspaces/lists.ts';
import { nameKey } from '../workspaces/taken-name.ts';
import { Tag } from './model.ts';
import { type TagRecord, toTag } from './record.ts';

export interface TagListQuery extends NameListQuery {
  sortBy: 'name' | 'createdAt';
  sortOrder: 'asc' | 'desc';
  ids?: string[];
}

/** Reads a page of a workspace's tags. */
export async function listTags(projectId: string, query: TagListQuery): Promise<TagRecord[]> {
  const { sortBy, sortOrder, search, ids } = query;
  const tags = Tag.of(projectId);
  if (search !== undefined) tags.where('name_key', 'like', containing(nameKey(search)));
  if (ids !== undefined) tags.whereIn('id', ids);
  tags.orderBy(sortBy === 'name' ? 'name_key' : 'created_at', sortOrder).orderBy('id', sortOrder);
  return (await pageOf(tags, query)).map(toTag);
}

/** Reads a tag by its id. @throws Refusal `not_found` */
export async function readTag(projectId: string, id: string): Promise<TagRecord> {
  const row = await Tag.of(projectId).where({ id }).first();
  return toTag(found(row, `tag "${id}"`));
}

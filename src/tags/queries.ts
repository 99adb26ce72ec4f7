import { Refusal } from '../errors.ts';
import { containing } from '../infra/like.ts';
import { nameKey } from '../workspaces/taken-name.ts';
import { Tag } from './model.ts';
import { type TagRecord, toTag } from './record.ts';

export interface TagListQuery {
  sortBy: 'name' | 'createdAt';
  sortOrder: 'asc' | 'desc';
  search?: string;
  ids?: string[];
  page: number;
  pageSize: number;
}

/** Reads a page of a workspace's tags. */
export async function listTags(projectId: string, query: TagListQuery): Promise<TagRecord[]> {
  const { sortBy, sortOrder, search, ids, page, pageSize } = query;
  const tags = Tag.of(projectId);
  if (search !== undefined) tags.where('name_key', 'like', containing(nameKey(search)));
  if (ids !== undefined) tags.whereIn('id', ids);
  const rows = await tags
    .orderBy(sortBy === 'name' ? 'name_key' : 'created_at', sortOrder)
    .orderBy('id', sortOrder)
    .limit(pageSize)
    .offset((page - 1) * pageSize);
  return rows.map(toTag);
}

/** Reads a tag by its id. @throws Refusal `not_found` */
export async function readTag(projectId: string, id: string): Promise<TagRecord> {
  const row = await Tag.of(projectId).where({ id }).first();
  if (row === undefined) throw new Refusal('not_found', `There is no tag "${id}"`);
  return toTag(row);
}

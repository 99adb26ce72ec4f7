import { containing } from '../infra/like.ts';
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

/** One page of a workspace's tags. */
export async function listTags(projectId: string, query: TagListQuery): Promise<TagRecord[]> {
  const { sortBy, sortOrder, search, ids, page, pageSize } = query;
  const tags = Tag.of(projectId);
  if (search !== undefined) tags.whereRaw('name ILIKE ?', [containing(search)]);
  if (ids !== undefined) tags.whereIn('id', ids);
  const rows = await tags
    .orderByRaw(`${sortBy === 'name' ? 'lower(name)' : 'created_at'} ${sortOrder}, id ${sortOrder}`)
    .limit(pageSize)
    .offset((page - 1) * pageSize);
  return rows.map(toTag);
}

import { type Db, db } from '../infra/db.ts';
import { containing } from '../infra/like.ts';
import { Page } from './model.ts';
import { type PageCounters, type PageRecord, toPage } from './record.ts';

const counted = (projectId: string, connection: Db) =>
  Page.of(projectId, connection)
    .leftJoin('counters as c', (on) =>
      on.on('c.project_id', 'pages.project_id').andOn('c.record_id', 'pages.id'),
    )
    .select(
      'pages.*',
      Page.raw('coalesce(c.visits, 0) AS views'),
      Page.raw('coalesce(c.leads, 0) AS leads'),
    );

const read = (row: Page): PageRecord => toPage(row, row as Page & PageCounters);

/** A page by its id. */
export async function findPage(
  projectId: string,
  id: string,
  connection: Db = db(),
): Promise<PageRecord | undefined> {
  const row = await counted(projectId, connection).where({ 'pages.id': id }).first();
  return row === undefined ? undefined : read(row);
}

/** Pages by their ids; those that are not there are left out. */
export async function findPages(
  projectId: string,
  ids: readonly string[],
  connection: Db = db(),
): Promise<PageRecord[]> {
  if (ids.length === 0) return [];
  return (await counted(projectId, connection).whereIn('pages.id', ids)).map(read);
}

/** One page of the pages whose titles contain a text, newest first. */
export async function listPages(
  projectId: string,
  { search, page, pageSize }: { search?: string; page: number; pageSize: number },
): Promise<PageRecord[]> {
  const pages = counted(projectId, db());
  if (search !== undefined) pages.whereRaw("content->>'title' ILIKE ?", [containing(search)]);
  const rows = await pages
    .orderBy('pages.id', 'desc')
    .limit(pageSize)
    .offset((page - 1) * pageSize);
  return rows.map(read);
}

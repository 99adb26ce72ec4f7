import { type Db, db, rows } from '../infra/db.ts';
import { mapSlice, type Slice } from '../infra/keyset.ts';
import { contains } from '../infra/like.ts';
import { VISITS } from '../short-links/visits-sql.ts';
import { byId, readSlice } from '../workspaces/lists.ts';
import { Page } from './model.ts';
import { type PageCounters, type PageRecord, toPage } from './record.ts';
import type { PageListQuery } from './schema.ts';

const counted = (projectId: string, connection: Db) =>
  Page.of(projectId, connection)
    .leftJoin('counters as c', (on) =>
      on.on('c.project_id', 'pages.project_id').andOn('c.record_id', 'pages.id'),
    )
    .leftJoin('workspaces as w', 'w.id', 'pages.project_id')
    .select('pages.*', Page.raw(`${VISITS} AS views`), Page.raw('coalesce(c.leads, 0) AS leads'));

const read = (row: Page): PageRecord => toPage(row, row as Page & PageCounters);

/** Reads a page by its id. */
export async function findPage(
  projectId: string,
  id: string,
  connection: Db = db(),
): Promise<PageRecord | undefined> {
  const row = await counted(projectId, connection).where({ 'pages.id': id }).first();
  return row === undefined ? undefined : read(row);
}

/** Reads pages by their ids; missing ones are left out. */
export async function findPages(
  projectId: string,
  ids: readonly string[],
  connection: Db = db(),
): Promise<PageRecord[]> {
  if (ids.length === 0) return [];
  return (await counted(projectId, connection).whereIn('pages.id', ids)).map(read);
}

/** Reads one page of a list: those whose titles contain a text, newest first. */
export async function listPages(
  projectId: string,
  { search, ...paging }: PageListQuery,
): Promise<Slice<PageRecord>> {
  const pages = counted(projectId, db());
  if (search !== undefined) pages.whereRaw(...contains(`content->>'title'`, search));
  return mapSlice(await readSlice(pages, byId('desc', 'pages.id'), paging), read);
}

/** Reads the titles of pages by their ids; missing ones are left out. */
export async function findTitles(
  projectId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const titles = await rows<{ id: string; title: string }>(
    db(),
    "SELECT id, content->>'title' AS title FROM pages WHERE project_id = :projectId AND id = ANY(:ids)",
    { projectId, ids },
  );
  return new Map(titles.map(({ id, title }) => [id, title]));
}

/** Sums the views of all pages of a workspace by people and by suspects, from their counters. */
export async function sumViews(projectId: string): Promise<{ visits: number; suspects: number }> {
  const [row] = await rows<{ visits: number; suspects: number }>(
    db(),
    `SELECT coalesce(sum(c.visits), 0)::bigint AS visits, coalesce(sum(c.suspects), 0)::bigint AS suspects
       FROM counters c JOIN pages p ON p.project_id = c.project_id AND p.id = c.record_id
      WHERE c.project_id = ?`,
    [projectId],
  );
  return row!;
}

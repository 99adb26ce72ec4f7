import { newId } from '../ids.ts';
import { type Db, execute, rows } from '../infra/db.ts';
import { nameColumns } from '../tags/model.ts';
import { TAG_COLORS } from '../tags/record.ts';
import { nameKey } from '../workspaces/taken-name.ts';
import type { LinkRow } from './rows.ts';

/**
 * Finds tag names in rows that the workspace does not have, spelled as in their first occurrence.
 */
export async function missingTags(
  trx: Db,
  projectId: string,
  links: readonly LinkRow[],
): Promise<string[]> {
  const named = links.flatMap(({ link }) => link.tags?.names ?? []);
  const byKey = new Map(named.toReversed().map((name) => [nameKey(name), name]));
  if (byKey.size === 0) return [];
  const existing = await rows<{ name_key: string }>(
    trx,
    'SELECT name_key FROM tags WHERE project_id = ? AND name_key = ANY(?)',
    [projectId, [...byKey.keys()]],
  );
  for (const { name_key } of existing) byKey.delete(name_key);
  return [...byKey.values()];
}

/** Creates the tags that do not exist yet. Colors are random, as for other tags without one. */
export async function createTags(
  trx: Db,
  projectId: string,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return;
  const tags = names.map((name) => ({
    project_id: projectId,
    id: newId('tag'),
    ...nameColumns(name),
    color: TAG_COLORS[Math.floor(Math.random() * TAG_COLORS.length)]!,
  }));
  // In the same order in all transactions, so that two writes cannot deadlock.
  const ordered = tags.toSorted((a, b) => (a.name_key < b.name_key ? -1 : 1));
  await execute(
    trx,
    `INSERT INTO tags (project_id, id, name, name_key, search_text, color)
     SELECT project_id, id, name, name_key, search_text, color
       FROM json_to_recordset(?) AS t (project_id text, id text, name text, name_key text, search_text text, color text)
     ON CONFLICT (project_id, name_key) DO NOTHING`,
    [JSON.stringify(ordered)],
  );
}

import { newId } from '../ids.ts';
import { type Db, execute, rows } from '../infra/db.ts';
import { searchable } from '../infra/folded.ts';
import { TAG_COLORS } from '../tags/record.ts';
import { nameKey } from '../workspaces/taken-name.ts';
import type { LinkRow } from './rows.ts';

/** Names of tags in rows that the workspace does not have, as they are first written. */
export async function missingTags(
  trx: Db,
  projectId: string,
  links: readonly LinkRow[],
): Promise<string[]> {
  const named = links.flatMap(({ link }) => link.tags?.names ?? []);
  const byKey = new Map(named.toReversed().map((name) => [nameKey(name), name]));
  if (byKey.size === 0) return [];
  const known = await rows<{ name_key: string }>(
    trx,
    'SELECT name_key FROM tags WHERE project_id = ? AND name_key = ANY(?)',
    [projectId, [...byKey.keys()]],
  );
  for (const { name_key } of known) byKey.delete(name_key);
  return [...byKey.values()];
}

/** Creates tags of these names, unless somebody else just has. Colors are drawn, as those of other tags without one. */
export async function createTags(
  trx: Db,
  projectId: string,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return;
  const tags = names.map((name) => ({
    project_id: projectId,
    id: newId('tag'),
    name,
    name_key: nameKey(name),
    search_text: searchable(name),
    color: TAG_COLORS[Math.floor(Math.random() * TAG_COLORS.length)]!,
  }));
  // In one order everywhere, so that two writes can't wait for each other.
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

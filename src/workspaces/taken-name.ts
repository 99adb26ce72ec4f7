import { Refusal } from '../errors.ts';
import type { Db } from '../infra/db.ts';
import { nounOf } from '../infra/model.ts';

/** Normalizes a name for comparison: in lower case and composed (NFC). */
export const nameKey = (name: string): string => name.normalize('NFC').toLowerCase();

/**
 * Refuses a name that another record of the workspace has; see {@link nameKey}. Of two concurrent
 * writes with the same name, the index refuses the later one, whose job runs again and is refused
 * here.
 *
 * @param id the record that may keep the name
 * @param within columns that limit the records with distinct names; absent: the whole workspace
 * @throws Refusal `conflict`
 */
export async function refuseTakenName(
  trx: Db,
  table: 'tags' | 'folders' | 'utm_templates' | 'views' | 'fonts',
  projectId: string,
  { id, name }: { id: string; name: string },
  within: Readonly<Record<string, string | null>> = {},
): Promise<void> {
  const twin = (await trx(table)
    .where({ project_id: projectId, name_key: nameKey(name), ...within })
    .whereNot({ id })
    .first('id')) as { id: string } | undefined;
  if (twin === undefined) return;
  throw new Refusal('conflict', `The ${nounOf(table)} name "${name}" is taken`);
}

import { Refusal } from '../errors.ts';
import type { Db } from './db.ts';

/** By which names are compared: case does not count, nor how a letter is composed (NFC). */
export const nameKey = (name: string): string => name.normalize('NFC').toLowerCase();

/**
 * Refuses a name that another record of the workspace has; see {@link nameKey}. Two at once with the same name: the
 * index refuses the later one, whose job runs again and is refused here.
 *
 * @param id the record that may have the name
 * @throws Refusal `conflict`
 */
export async function refuseTakenName(
  trx: Db,
  table: 'tags' | 'folders',
  projectId: string,
  { id, name }: { id: string; name: string },
): Promise<void> {
  const twin = (await trx(table)
    .where({ project_id: projectId, name_key: nameKey(name) })
    .whereNot({ id })
    .first('id')) as { id: string } | undefined;
  if (twin === undefined) return;
  throw new Refusal('conflict', `The ${table.slice(0, -1)} name "${name}" is taken`);
}

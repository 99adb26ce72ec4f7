import { Refusal } from '../errors.ts';
import type { Db } from '../infra/db.ts';
import { nounOf } from '../infra/model.ts';

/** A name as it is compared: regardless of case, and of how letters are composed (NFC). */
export const nameKey = (name: string): string => name.normalize('NFC').toLowerCase();

/**
 * Refuses a name that another record of the workspace has; see {@link nameKey}. Two at once with the same name: the
 * index refuses the later one, whose job runs again and is refused here.
 *
 * @param id the record that may have the name
 * @param within columns of the records that must have names of their own; without it, all of the workspace
 * @throws Refusal `conflict`
 */
export async function refuseTakenName(
  trx: Db,
  table: 'tags' | 'folders' | 'utm_templates' | 'views',
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

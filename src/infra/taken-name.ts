import { Refusal } from '../errors.ts';
import type { Db } from './db.ts';

/**
 * Refuses a name that another record of the workspace has; case does not count. Two at once with the same name: the
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
    .where({ project_id: projectId })
    .whereRaw('lower(name) = lower(?)', [name])
    .whereNot({ id })
    .first('id')) as { id: string } | undefined;
  if (twin === undefined) return;
  throw new Refusal('conflict', `The ${table.slice(0, -1)} name "${name}" is taken`);
}

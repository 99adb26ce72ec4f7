import type { Db } from '../infra/db.ts';
import { takeRollups } from './rollups.ts';

const EVENTS = '(SELECT * FROM events WHERE project_id = :projectId AND link_id = ANY(:ids)) ';

/** Removes all events of some links and QR codes, and what they counted for, as if nobody had ever come. */
export async function forgetEvents(
  trx: Db,
  projectId: string,
  ids: readonly string[],
): Promise<void> {
  const of = { projectId, ids } as unknown as Record<string, string>;
  // Whoever stores events of theirs waits, and then stores events of what is no longer there.
  await trx.raw('LOCK TABLE rollups, record_rollups IN EXCLUSIVE MODE');
  for (const sql of takeRollups(EVENTS)) await trx.raw(sql, of);
  await trx.raw('DELETE FROM events WHERE project_id = :projectId AND link_id = ANY(:ids)', of);
}

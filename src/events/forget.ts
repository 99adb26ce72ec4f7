import type { Db } from '../infra/db.ts';
import { forgetVisitors } from '../webhooks/forget.ts';
import { takeRollups } from './rollups.ts';

/** Removes all events of some links and QR codes, and what they counted for, as if nobody had ever come. */
export async function forgetEvents(
  trx: Db,
  projectId: string,
  ids: readonly string[],
): Promise<void> {
  // Exactly the events that go are taken out of the rollups, whatever is stored meanwhile.
  await trx.raw('CREATE TEMP TABLE IF NOT EXISTS gone_events (LIKE events) ON COMMIT DELETE ROWS');
  await trx.raw(
    `WITH gone AS (DELETE FROM events WHERE project_id = :projectId AND link_id = ANY(:ids) RETURNING *)
     INSERT INTO gone_events SELECT * FROM gone`,
    { projectId, ids } as unknown as Record<string, string>,
  );
  for (const sql of takeRollups('gone_events')) await trx.raw(sql);
  await forgetVisitors(trx, projectId, ids);
}

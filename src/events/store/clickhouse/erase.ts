import { type Db, db, execute, rows } from '../../../infra/db.ts';
import { postgresStore } from '../postgres/store.ts';
import { type ClickHouse, isOneOf, literal } from './connection.ts';

/**
 * Hides the events of links and QR codes from all answers once the transaction is committed.
 * {@link deleteErased} deletes them from ClickHouse.
 */
export async function eraseRecords(
  trx: Db,
  projectId: string,
  recordIds: readonly string[],
): Promise<void> {
  await postgresStore.eraseRecords(trx, projectId, recordIds);
  const erasure = { projectId, recordIds };
  await execute(
    trx,
    'DELETE FROM event_outbox WHERE project_id = :projectId AND link_id = ANY(:recordIds)',
    erasure,
  );
  // Runs after the deletion: events that had left the outbox are in a batch that has ended by now.
  // A batch that is being moved has only events that were committed later: otherwise it fails.
  await execute(
    trx,
    `INSERT INTO event_erasures (project_id, record_id, batch)
     SELECT :projectId, id, coalesce((SELECT min(b.id) - 1 FROM event_batches b WHERE NOT b.is_failed), last_batch)
       FROM event_outbox_state, unnest(:recordIds::text[]) AS id
     ON CONFLICT (project_id, record_id) DO UPDATE SET batch = excluded.batch`,
    erasure,
  );
}

/** Deletes erased events from ClickHouse permanently. */
export async function deleteErased(clickhouse: ClickHouse): Promise<void> {
  const erased = await rows<{ projectId: string; batch: number; ids: string[] }>(
    db(),
    `SELECT project_id AS "projectId", batch, array_agg(record_id) AS ids FROM event_erasures GROUP BY project_id, batch`,
  );
  for (const { projectId, batch, ids } of erased) {
    await clickhouse.delete(
      'events',
      `project_id = ${literal(projectId)} AND batch <= ${batch} AND ${isOneOf('link_id', ids)}`,
    );
    await execute(
      db(),
      'DELETE FROM event_erasures WHERE project_id = :projectId AND batch = :batch AND record_id = ANY(:ids)',
      { projectId, batch, ids },
    );
  }
}

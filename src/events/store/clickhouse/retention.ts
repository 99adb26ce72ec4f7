import { type Db, db, execute, rows } from '../../../infra/db.ts';
import type { Log } from '../../../infra/log.ts';
import { addDeltas } from '../postgres/deltas.ts';
import { eachWorkspace } from '../postgres/each-workspace.ts';
import { findKept, keepFrom, type RetainedWorkspace } from '../postgres/retention.ts';
import { shareEvents } from '../postgres/rollups.ts';
import type { Cursor, ListedEvent } from '../store.ts';
import { type ClickHouse, literal } from './connection.ts';
import { newestNames } from './list.ts';
import { type Pending, readPending } from './pending.ts';
import { EVENT_COLUMNS, type StoredRow, toEvent } from './schema.ts';

/** Number of events counted at a time. */
const CHUNK = 20_000;

/**
 * Counts the ClickHouse events that are past the retention of their workspaces in rollups of
 * Postgres, from when on they no longer count in ClickHouse, and deletes them there.
 */
export async function retainVisits(clickhouse: ClickHouse, log: Log): Promise<void> {
  await deleteKept(clickhouse);
  await eachWorkspace(await findKept(), (workspace) => retainWorkspace(clickhouse, workspace), log);
  await deleteKept(clickhouse);
}

async function retainWorkspace(
  clickhouse: ClickHouse,
  { id: projectId, from }: RetainedWorkspace,
): Promise<void> {
  const before = `at < ${from.getTime() * 1000}`;
  const { counting } = await readPending(projectId, 'false');
  const old = await clickhouse.rows<{ id: string }>(
    `SELECT id FROM events WHERE ${counting} AND ${before} LIMIT 1`,
  );
  if (old.length === 0 || !(await keepFrom(projectId, from))) return;
  await db().transaction(async (trx) => {
    await shareEvents(trx, [projectId]);
    const { counting: stored, settledBatch, keptUntil } = await lockRetained(trx, projectId);
    // Includes events that came late, from before the end of an earlier run whose events are not
    // deleted yet.
    const until = Math.max(from.getTime() * 1000, keptUntil);
    const expired = `${stored} AND batch <= ${settledBatch} AND at < ${until}`;
    await keepCounts(clickhouse, trx, projectId, expired);
    await keepNames(clickhouse, trx, projectId, expired);
    await execute(
      trx,
      `UPDATE event_retention SET kept_until = greatest(kept_until, :from), kept_batch = :settledBatch, is_deleted = false
        WHERE project_id = :projectId`,
      { projectId, from, settledBatch },
    );
  });
}

/**
 * Reads which events of a workspace count, and locks that state until the transaction ends, so that
 * concurrent changes run one after the other.
 */
export async function lockRetained(trx: Db, projectId: string): Promise<Pending> {
  const sql = 'INSERT INTO event_retention (project_id) VALUES (?) ON CONFLICT DO NOTHING';
  await execute(trx, sql, [projectId]);
  await execute(trx, 'SELECT FROM event_retention WHERE project_id = ? FOR UPDATE', [projectId]);
  return readPending(projectId, 'false', {}, trx);
}

async function keepCounts(
  clickhouse: ClickHouse,
  trx: Db,
  projectId: string,
  expired: string,
): Promise<void> {
  let after: Cursor | undefined;
  for (;;) {
    const follows =
      after === undefined
        ? ''
        : `AND (at > ${after.atMicros} OR (at = ${after.atMicros} AND id > ${literal(after.id)}))`;
    const stored = await clickhouse.rows<StoredRow>(
      `SELECT ${EVENT_COLUMNS} FROM events WHERE ${expired} ${follows} ORDER BY at, id LIMIT ${CHUNK}`,
    );
    const events = stored.map(toEvent);
    await addDeltas(trx, 'domain', events);
    await addDeltas(trx, 'record', await ofRecords(trx, projectId, events));
    if (events.length < CHUNK) return;
    after = events.at(-1);
  }
}

/** Reads the events of links and QR codes that still exist. */
async function ofRecords(
  trx: Db,
  projectId: string,
  events: readonly ListedEvent[],
): Promise<ListedEvent[]> {
  const existing = await rows<{ id: string }>(
    trx,
    `SELECT id FROM links WHERE project_id = :projectId AND id = ANY(:ids)
      UNION ALL SELECT id FROM qrcodes WHERE project_id = :projectId AND id = ANY(:ids)`,
    { projectId, ids: [...new Set(events.flatMap(({ link_id }) => link_id ?? []))] },
  );
  const ids = new Set<string | null>(existing.map(({ id }) => id));
  return events.filter(({ link_id }) => ids.has(link_id));
}

/** Stores the names of deleted links and QR codes, because rollups contain only their ids. */
async function keepNames(
  clickhouse: ClickHouse,
  trx: Db,
  projectId: string,
  expired: string,
): Promise<void> {
  const names = await newestNames(clickhouse, expired);
  await execute(
    trx,
    `INSERT INTO record_names AS kept (project_id, record_id, domain, key, url, named_at)
     SELECT :projectId, n.* FROM unnest(:ids::text[], :domains::text[], :keys::text[], :urls::text[], :times::timestamptz[]) AS n
     ON CONFLICT (project_id, record_id) DO UPDATE
       SET domain = excluded.domain, key = excluded.key, url = excluded.url, named_at = excluded.named_at
     WHERE excluded.named_at > kept.named_at`,
    {
      projectId,
      ids: names.map(({ id }) => id),
      domains: names.map(({ name }) => name.domain),
      keys: names.map(({ name }) => name.key),
      urls: names.map(({ name }) => name.url),
      times: names.map(({ namedAt }) => namedAt),
    },
  );
}

/**
 * Deletes the events that no longer count in ClickHouse because Postgres has them or their counts.
 * Their records of retention are removed afterwards.
 */
export async function deleteKept(clickhouse: ClickHouse): Promise<void> {
  const retentions = await rows<{ projectId: string; until: number; batch: number }>(
    db(),
    `SELECT project_id AS "projectId", (extract(epoch FROM kept_until) * 1000000)::bigint AS until, kept_batch AS batch
       FROM event_retention WHERE NOT is_deleted`,
  );
  for (const { projectId, until, batch } of retentions) {
    await clickhouse.delete(
      'events',
      `project_id = ${literal(projectId)} AND at < ${until} AND batch <= ${batch}`,
    );
    await execute(
      db(),
      `UPDATE event_retention SET kept_until = DEFAULT, kept_batch = DEFAULT, is_deleted = true
        WHERE project_id = :projectId AND kept_batch = :batch
          AND kept_until = 'epoch'::timestamptz + :until * interval '1 microsecond'`,
      { projectId, batch, until },
    );
  }
}

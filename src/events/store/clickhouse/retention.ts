import { type Db, db, execute, rows } from '../../../infra/db.ts';
import type { Log } from '../../../infra/log.ts';
import { eachWorkspace } from '../postgres/each-workspace.ts';
import { KeptCounter, mergeMonths } from '../postgres/keep-counts.ts';
import { QUARTER_MS } from '../postgres/quarters.ts';
import { findRetained, type RetainedWorkspace } from '../postgres/retention.ts';
import type { Cursor, ListedEvent } from '../store.ts';
import { type ClickHouse, literal } from './connection.ts';
import { newestNames } from './list.ts';
import { type Pending, readPending } from './pending.ts';
import { EVENT_COLUMNS, type StoredRow, toEvent } from './schema.ts';

/** Number of events read at a time. */
const CHUNK = 20_000;
/** Number of events after which the counts are written. */
const PART = 100_000;

/**
 * Keeps the counts of the ClickHouse events that are past the retention of their workspaces in
 * Postgres, from when on they no longer count in ClickHouse, and deletes them there.
 */
export async function retainVisits(clickhouse: ClickHouse, log: Log): Promise<void> {
  await deleteKept(clickhouse);
  await eachWorkspace(
    await findRetained(),
    (workspace) => retainWorkspace(clickhouse, workspace),
    log,
  );
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
  if (old.length === 0) return;
  await db().transaction(async (trx) => {
    const { counting: stored, settledBatch, keptUntil } = await lockRetained(trx, projectId);
    // Includes events that came late, from before the end of an earlier run whose events are not
    // deleted yet.
    const until = Math.max(from.getTime() * 1000, keptUntil);
    const expired = `${stored} AND batch <= ${settledBatch} AND at < ${until}`;
    await keepCounts(clickhouse, trx, projectId, expired);
    await mergeMonths(trx, projectId);
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
  const counter = new KeptCounter(projectId);
  let counted = 0;
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
    const existing = await recordsOf(trx, projectId, events);
    for (const event of events) {
      const quarter = Math.floor(event.occurred_at.getTime() / QUARTER_MS);
      counter.add(event, quarter, existing.has(event.link_id));
    }
    counted += events.length;
    if (events.length < CHUNK || counted >= PART) {
      await counter.write(trx);
      counted = 0;
    }
    if (events.length < CHUNK) return;
    after = events.at(-1);
  }
}

/** Finds the links and QR codes of events that still exist, or can be restored. */
async function recordsOf(
  trx: Db,
  projectId: string,
  events: readonly ListedEvent[],
): Promise<ReadonlySet<string | null>> {
  const existing = await rows<{ id: string }>(
    trx,
    `SELECT id FROM links WHERE project_id = :projectId AND id = ANY(:ids)
      UNION ALL SELECT id FROM qrcodes WHERE project_id = :projectId AND id = ANY(:ids)
      UNION ALL SELECT id FROM trash WHERE project_id = :projectId AND id = ANY(:ids)`,
    { projectId, ids: [...new Set(events.flatMap(({ link_id }) => link_id ?? []))] },
  );
  return new Set(existing.map(({ id }) => id));
}

/** Stores the names of deleted links and QR codes, because kept counts contain only their ids. */
async function keepNames(
  clickhouse: ClickHouse,
  trx: Db,
  projectId: string,
  expired: string,
): Promise<void> {
  const names = await newestNames(clickhouse, expired);
  await execute(
    trx,
    `INSERT INTO kept_names AS kept (project_id, record_id, domain, key, url, named_at)
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

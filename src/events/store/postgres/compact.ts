import { bigintSql, type Db, db, rows } from '../../../infra/db.ts';
import type { Log } from '../../../infra/log.ts';
import { eachWorkspace } from './each-workspace.ts';
import { fineDimensions, lockRollups, type Scope, TABLES } from './rollups.ts';

/** Additions of one transaction: a batch of visits has some fifteen. */
const CHUNK = 2_000;

/** Merges what was added to rollups into their rows. */
export async function compactRollups(log: Log): Promise<void> {
  const found = await rows<{ id: string }>(
    db(),
    // Reads the index of projects from one to the next, rather than all additions.
    `WITH RECURSIVE pending AS (
       (SELECT project_id AS id FROM rollup_deltas ORDER BY project_id LIMIT 1)
       UNION ALL
       SELECT (SELECT project_id FROM rollup_deltas WHERE project_id > pending.id ORDER BY project_id LIMIT 1)
         FROM pending WHERE pending.id IS NOT NULL)
     SELECT id FROM pending WHERE id IS NOT NULL`,
  );
  await eachWorkspace(found, ({ id }) => mergeDeltas(id), log);
}

async function mergeDeltas(projectId: string): Promise<void> {
  for (const scope of ['domain', 'record'] as const) {
    for (;;) {
      const count = await db().transaction(async (trx) => {
        await lockRollups(trx, projectId);
        return mergeChunk(trx, scope, projectId);
      });
      if (count < CHUNK) break;
    }
  }
}

/** @returns the number of additions that were merged */
async function mergeChunk(trx: Db, scope: Scope, projectId: string): Promise<number> {
  const { table, key } = TABLES[scope];
  const keys = 'owner, dimension, event, step, bucket';
  const [row] = await rows<{ count: number }>(
    trx,
    `WITH gone AS (
       DELETE FROM rollup_deltas WHERE id IN (
         SELECT id FROM rollup_deltas WHERE project_id = :projectId AND is_record = :isRecord ORDER BY id LIMIT ${CHUNK})
       RETURNING *),
     days AS (
       SELECT g.owner, g.dimension, g.event, g.bucket, u.id, u.n, coalesce(u.amount, 0) AS amount
         FROM gone g CROSS JOIN LATERAL unnest(g.ids, g.counts, g.amounts) AS u(id, n, amount)),
     added AS (
       SELECT owner, dimension, event, 'd'::"char" AS step, bucket, id, n, amount FROM days
        UNION ALL
       SELECT owner, dimension, event, 'm', date_trunc('month', bucket, 'UTC'),
              CASE WHEN dimension = ANY(:fine) THEN id / 96 ELSE id END, n, amount FROM days),
     touched AS (SELECT DISTINCT ${keys} FROM added),
     merged AS (
       SELECT ${keys}, id, sum(n)::bigint AS n, ${bigintSql('sum(amount)')} AS amount
         FROM (SELECT * FROM added
                UNION ALL
               SELECT r.${key}, r.dimension, r.event, r.step, r.bucket, u.id, u.n, coalesce(u.amount, 0)
                 FROM touched t JOIN ${table} r
                   ON r.project_id = :projectId AND r.${key} = t.owner AND r.dimension = t.dimension AND r.event = t.event
                  AND r.step = t.step AND r.bucket = t.bucket
                CROSS JOIN LATERAL unnest(r.ids, r.counts, r.amounts) AS u(id, n, amount)) AS parts
        GROUP BY ${keys}, id HAVING sum(n) <> 0),
     packed AS (${pack('merged', keys)}),
     emptied AS (
       DELETE FROM ${table} r USING touched t
        WHERE r.project_id = :projectId AND r.${key} = t.owner AND r.dimension = t.dimension AND r.event = t.event
          AND r.step = t.step AND r.bucket = t.bucket
          AND NOT EXISTS (SELECT 1 FROM merged m
            WHERE (m.owner, m.dimension, m.event, m.step, m.bucket) = (t.owner, t.dimension, t.event, t.step, t.bucket))),
     stored AS (
       INSERT INTO ${table} (project_id, ${key}, dimension, event, step, bucket, ids, counts, amounts)
       SELECT * FROM packed
       ON CONFLICT (project_id, ${key}, dimension, event, step, bucket)
         DO UPDATE SET ids = excluded.ids, counts = excluded.counts, amounts = excluded.amounts)
     SELECT count(*)::int AS count FROM gone`,
    { projectId, isRecord: scope === 'record', fine: fineDimensions(scope) },
  );
  return row!.count;
}

/** SQL that packs counts by id, one a row, into rows of rollups of the workspace `:projectId`. */
export const pack = (source: string, keys: string): string => `
  SELECT :projectId::text, ${keys}, array_agg(id ORDER BY id), array_agg(n ORDER BY id),
         CASE WHEN bool_or(amount <> 0) THEN array_agg(amount ORDER BY id) END
    FROM ${source} GROUP BY ${keys}`;

import { type Db, db, execute, rows } from '../../infra/db.ts';
import type { Log } from '../../infra/log.ts';
import { type LeftOutCount, OTHER_PROGRAMS } from '../../visits/left-out.ts';
import { eachWorkspace } from '../store/postgres/each-workspace.ts';
import { findRetained } from '../store/postgres/retention.ts';

/** Maximum number of programs of a workspace on a day; further ones are counted together. */
export const MAX_PROGRAMS = 200;

/**
 * Adds to the counts of requests that are not counted as visits. Counts of deleted workspaces are
 * dropped.
 */
export async function addLeftOut(trx: Db, counts: readonly LeftOutCount[]): Promise<void> {
  const projectIds = [...new Set(counts.map(({ projectId }) => projectId))];
  // One at a time adds programs to a workspace, so that their number stays within the limit.
  const workspaces = await rows<{ id: string }>(
    trx,
    'SELECT id FROM workspaces WHERE id = ANY(?) ORDER BY id FOR NO KEY UPDATE',
    [projectIds],
  );
  await execute(
    trx,
    `WITH sent AS (
       SELECT "projectId" AS project_id, date '1970-01-01' + day AS day, class, program,
              sum(requests) AS requests
         FROM jsonb_to_recordset(:counts)
              AS c("projectId" text, day integer, class text, program text, requests bigint)
        WHERE "projectId" = ANY(:projectIds) GROUP BY 1, 2, 3, 4),
     known AS (
       SELECT l.project_id, l.day, l.class, l.program FROM left_out l
        WHERE (l.project_id, l.day) IN (SELECT project_id, day FROM sent)
          AND l.program <> :other),
     fresh AS (
       SELECT s.project_id, s.day, s.class, s.program,
              row_number() OVER (PARTITION BY s.project_id, s.day
                                     ORDER BY s.requests DESC, s.class, s.program)
                + (SELECT count(*) FROM known k WHERE k.project_id = s.project_id AND k.day = s.day)
                > :limit AS is_beyond
         FROM sent s LEFT JOIN known k USING (project_id, day, class, program)
        WHERE k.program IS NULL AND s.program <> :other)
     INSERT INTO left_out AS stored (project_id, day, class, program, requests)
     SELECT s.project_id, s.day, s.class, CASE WHEN f.is_beyond THEN :other ELSE s.program END,
            sum(s.requests)
       FROM sent s LEFT JOIN fresh f USING (project_id, day, class, program)
      GROUP BY 1, 2, 3, 4
     ON CONFLICT (project_id, day, class, program)
       DO UPDATE SET requests = stored.requests + excluded.requests`,
    {
      counts: JSON.stringify(counts),
      projectIds: workspaces.map(({ id }) => id),
      limit: MAX_PROGRAMS,
      other: OTHER_PROGRAMS,
    },
  );
}

/** Deletes the counts that are past the retention of their workspaces. */
export async function retainLeftOut(log: Log): Promise<void> {
  await eachWorkspace(
    await findRetained(),
    async ({ id, from }) => {
      await execute(
        db(),
        `DELETE FROM left_out
          WHERE project_id = ? AND day < (?::timestamptz AT TIME ZONE 'UTC')::date`,
        [id, from],
      );
    },
    log,
  );
}

import { type Db, db, execute, rows } from '../../../infra/db.ts';
import type { Log } from '../../../infra/log.ts';
import { rollupRebuilds } from '../../../infra/metrics.ts';
import {
  deriveMonth,
  keptOf,
  lockForRebuild,
  monthAfter,
  monthFrom,
  rollManyEvents,
} from './rebuild.ts';

/*
 * Rollups that are missing or wrong, for example after a migration, are rebuilt in the background.
 * A row of `rollup_rebuilds` marks a workspace; a migration only has to run
 * `INSERT INTO rollup_rebuilds (project_id) …`.
 *
 *   marked ──▶ records with many events found ──▶ month by month ──▶ row deleted
 *
 * Each arrow is a transaction, and `rebuilt_until` records the progress, so that a job that dies
 * loses no more than one month of work. Visits of the workspace wait for one month at a time. Until
 * the row is deleted, queries are answered from the events (slower, but correct), and retention
 * skips the workspace.
 */

/**
 * Returns true while rollups and texts of a workspace are incomplete, so that queries must read its
 * events.
 */
export async function isRebuilding(projectId: string): Promise<boolean> {
  const marks = await rows<object>(db(), 'SELECT 1 FROM rollup_rebuilds WHERE project_id = ?', [
    projectId,
  ]);
  return marks.length > 0;
}

/** Marks a workspace: the next run of the job rebuilds its rollups from the first month on. */
export async function requestRebuild(connection: Db, projectId: string): Promise<void> {
  await execute(
    connection,
    `INSERT INTO rollup_rebuilds (project_id) VALUES (?)
     ON CONFLICT (project_id) DO UPDATE SET requested_at = now(), rebuilt_until = NULL`,
    [projectId],
  );
}

/** A workspace whose rollups are being rebuilt. */
export interface PendingRebuild {
  workspace: string;
  requestedAt: Date;
  /** Months before this time are rebuilt; `null` if none is. */
  rebuiltUntil: Date | null;
}

/** Lists the workspaces whose rollups are being rebuilt, in the order of processing. */
export async function pendingRebuilds(connection: Db): Promise<PendingRebuild[]> {
  return rows<PendingRebuild>(
    connection,
    `SELECT w.slug AS workspace, r.requested_at AS "requestedAt",
            CASE WHEN isfinite(r.rebuilt_until) THEN r.rebuilt_until END AS "rebuiltUntil"
       FROM rollup_rebuilds r JOIN workspaces w ON w.id = r.project_id ORDER BY r.requested_at, w.id`,
  );
}

/**
 * Rebuilds the rollups of all marked workspaces. Concurrent jobs share the work. A workspace that
 * fails moves to the end of the line, and the next run tries it again.
 */
export async function rebuildMarked(_: object, { log }: { log: Log }): Promise<void> {
  const failed = new Set<string>();
  do {
    const [marked] = await rows<{ count: number }>(
      db(),
      'SELECT count(*)::int AS count FROM rollup_rebuilds',
    );
    rollupRebuilds.set(marked!.count);
  } while (await rebuildNext(log, failed));
}

interface Marked {
  project_id: string;
  rebuilt_until: Date | number | null;
}

/**
 * Runs the next step of a workspace that no other job is rebuilding.
 *
 * @param failed workspaces that failed in this run, and are skipped
 * @returns false if there is no such workspace
 */
async function rebuildNext(log: Log, failed: Set<string>): Promise<boolean> {
  let marked: Marked | undefined;
  try {
    return await db().transaction(async (trx) => {
      [marked] = await rows<Marked>(
        trx,
        `SELECT project_id, rebuilt_until FROM rollup_rebuilds WHERE project_id <> ALL(?::text[])
          ORDER BY requested_at, project_id LIMIT 1 FOR UPDATE SKIP LOCKED`,
        [[...failed]],
      );
      if (marked === undefined) return false;
      const until = await step(trx, marked);
      const row = trx('rollup_rebuilds').where({ project_id: marked.project_id });
      if (until === undefined) await row.delete();
      else await row.update({ rebuilt_until: until });
      const fields = { projectId: marked.project_id };
      if (until === undefined) log.info(fields, 'rollups were rebuilt');
      else log.info({ ...fields, rebuiltUntil: until }, 'rollups are being rebuilt');
      return true;
    });
  } catch (error) {
    if (marked === undefined) throw error;
    const { project_id: projectId } = marked;
    log.error({ projectId, err: error }, 'rollups of a workspace could not be rebuilt');
    failed.add(projectId);
    await execute(db(), 'UPDATE rollup_rebuilds SET requested_at = now() WHERE project_id = ?', [
      projectId,
    ]);
    return true;
  }
}

/** @returns the time before which everything is rebuilt; `undefined` when all is rebuilt */
async function step(
  trx: Db,
  { project_id: projectId, rebuilt_until }: Marked,
): Promise<Date | '-infinity' | undefined> {
  if (rebuilt_until === null) {
    // No lock is needed: events stored meanwhile are part of the months, which are derived later.
    await rollManyEvents(trx, await keptOf(trx, projectId));
    return '-infinity';
  }
  const rebuild = await lockForRebuild(trx, projectId);
  const from = rebuilt_until instanceof Date ? rebuilt_until : '-infinity';
  const month = await monthFrom(trx, rebuild, from);
  if (month === undefined) return undefined;
  await deriveMonth(trx, rebuild, month);
  return monthAfter(month);
}

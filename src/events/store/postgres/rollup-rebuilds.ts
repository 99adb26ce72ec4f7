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
 * Rollups that are missing or wrong, after a migration for instance, are rebuilt in the background. A row of
 * `rollup_rebuilds` marks a workspace; `INSERT INTO rollup_rebuilds (project_id) …` is all that a migration has to do.
 *
 *   marked ──▶ records with many events found ──▶ month by month ──▶ row deleted
 *
 * Each arrow is a transaction, and `rebuilt_until` says how far it went, so that a job that dies loses a month's work at
 * most. Visits of that workspace wait for one month at a time. Until the row is deleted, questions are answered from the events (slower,
 * but correct), and retention skips the workspace.
 */

/** True while rollups and texts of a workspace are incomplete, so that questions must be answered from its events. */
export async function isRebuilding(projectId: string): Promise<boolean> {
  const found = await rows<object>(db(), 'SELECT 1 FROM rollup_rebuilds WHERE project_id = ?', [
    projectId,
  ]);
  return found.length > 0;
}

/** Marks a workspace: its rollups are rebuilt from the first month on, by the next run of the job. */
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
  /** Months before are rebuilt; `null`: none is. */
  rebuiltUntil: Date | null;
}

/** The workspaces whose rollups are being rebuilt, in the order in which they will be. */
export async function pendingRebuilds(connection: Db): Promise<PendingRebuild[]> {
  return rows<PendingRebuild>(
    connection,
    `SELECT w.slug AS workspace, r.requested_at AS "requestedAt",
            CASE WHEN isfinite(r.rebuilt_until) THEN r.rebuilt_until END AS "rebuiltUntil"
       FROM rollup_rebuilds r JOIN workspaces w ON w.id = r.project_id ORDER BY r.requested_at, w.id`,
  );
}

/**
 * Rebuilds the rollups of all workspaces that are marked. Jobs at the same time share the work. A workspace that fails
 * becomes the last in line, and the next run tries it again.
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
 * @returns false when there is no such workspace
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

/** @returns the time before which everything is rebuilt; `undefined` when all is */
async function step(
  trx: Db,
  { project_id: projectId, rebuilt_until }: Marked,
): Promise<Date | '-infinity' | undefined> {
  if (rebuilt_until === null) {
    // Needs no lock: events that are stored meanwhile are in the months, which are derived later.
    await rollManyEvents(trx, await keptOf(trx, projectId));
    return '-infinity';
  }
  const of = await lockForRebuild(trx, projectId);
  const from = rebuilt_until instanceof Date ? rebuilt_until : '-infinity';
  const month = await monthFrom(trx, of, from);
  if (month === undefined) return undefined;
  await deriveMonth(trx, of, month);
  return monthAfter(month);
}

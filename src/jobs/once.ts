import { Refusal, type RefusalData } from '../errors.ts';
import { type Db, db } from '../infra/db.ts';
import { cacheRedis } from '../infra/redis.ts';
import { type LookupChange, publish } from '../lookup/publish.ts';
import type { JobContext } from '../queues/queue.ts';

/*
 * A job may run twice: its worker died after the commit, or was thought dead. So the job's outcome is a row
 * that is written in the transaction of its effects:
 *
 *   begin ─ effects ─ row of the job ─ commit ─ cache in step ─ reply
 *
 * Died before the commit: nothing happened, the next run does it all. Died after it: the next run finds the
 * row, brings the cache in step once more, and replies what the row says. Two runs at once: the second waits
 * on the row's key, rolls back, and replies what the first one did.
 */

/** What a command did. */
export interface Effects<Result> {
  result: Result;
  /** Entries of the look-up cache that are out of date from the commit on. */
  changes: LookupChange[];
}

/**
 * Runs a command so that its effects happen once, and resolves when redirect processes can see them.
 *
 * @throws Refusal as the command does, or as its first run did
 */
export async function once<Result>(
  job: JobContext,
  command: (trx: Db) => Promise<Effects<Result>>,
): Promise<Result> {
  if (job.isRepeat) {
    const earlier = await earlierRun<Result>(job);
    if (earlier !== undefined) return earlier.result;
  }
  let effects: Effects<Result>;
  try {
    effects = await db().transaction(async (trx) => {
      const done = await command(trx);
      await remember(trx, job, { result: done.result }, done.changes);
      return done;
    });
  } catch (thrown) {
    if (thrown instanceof Refusal) {
      await remember(db(), job, { refused: thrown.toJSON() }, []).catch(ignoreRanBefore);
    }
    // Two runs at once: whatever this one met, what the other one committed is the outcome.
    const earlier = await earlierRun<Result>(job);
    if (earlier === undefined) throw thrown;
    return earlier.result;
  }
  await publish(cacheRedis(), effects.changes);
  return effects.result;
}

/** Another run of the job has committed. */
class RanBefore extends Error {}

function ignoreRanBefore(error: unknown): void {
  if (!(error instanceof RanBefore)) throw error;
}

type StoredOutcome = { result: unknown } | { refused: RefusalData };

async function remember(
  connection: Db,
  { projectId, jobId }: JobContext,
  outcome: StoredOutcome,
  changes: LookupChange[],
): Promise<void> {
  const { rows } = await connection.raw<{ rows: unknown[] }>(
    `INSERT INTO jobs (project_id, id, outcome, changes) VALUES (?, ?, ?, ?)
     ON CONFLICT DO NOTHING RETURNING id`,
    [
      projectId,
      jobId,
      JSON.stringify(outcome),
      changes.length === 0 ? null : JSON.stringify(changes),
    ],
  );
  if (rows.length === 0) throw new RanBefore();
}

async function earlierRun<Result>({
  projectId,
  jobId,
}: JobContext): Promise<{ result: Result } | undefined> {
  const row = (await db()('jobs')
    .where({ project_id: projectId, id: jobId })
    .first('outcome', 'changes')) as { outcome: string | null; changes: string | null } | undefined;
  if (row === undefined || row.outcome === null) return undefined;
  // Versions keep a late repeat from undoing what came after it.
  await publish(cacheRedis(), JSON.parse(row.changes ?? '[]') as LookupChange[]);
  const outcome = JSON.parse(row.outcome) as { result: Result } | { refused: RefusalData };
  if ('refused' in outcome) throw new Refusal(outcome.refused.code, outcome.refused.message);
  return outcome;
}

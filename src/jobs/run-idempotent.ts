import { recordJob } from '../audit/write.ts';
import { Refusal } from '../errors.ts';
import { type Db, db, preparedRows } from '../infra/db.ts';
import { withinLimits } from '../infra/limits.ts';
import { isValueError, VALUE_REFUSED } from '../infra/outage.ts';
import { cacheRedis } from '../infra/redis.ts';
import { recordWrite } from '../infra/standbys.ts';
import {
  type ChangedName,
  type LookupChange,
  publishCommitted,
  publishPresent,
} from '../lookup/publish.ts';
import type { JobContext } from '../queues/definition.ts';
import { encodeOutcome, refusalFrom } from '../queues/replies.ts';
import { expired, findOutcome, KEYED_HOURS, type StoredOutcome } from './outcomes.ts';

/*
 * A job may run twice: its worker died after the commit, or was thought dead. So the job's outcome
 * is a row that is written in the transaction of its effects:
 *
 *   begin ─ effects ─ row of the audit log ─ row of the job ─ commit
 *     ─ publish entries, record the position ─ reply
 *
 * If the worker died before the commit, nothing has happened and the next run does everything. If
 * it died after it, the next run finds the row, publishes the present state of the changed entries,
 * and replies with the stored outcome. Of two concurrent runs the second waits for the row's key,
 * rolls back, and replies with the outcome of the first.
 */

/** Takes changes of the look-up entries that are published once the transaction has committed. */
export type Publish = (changes: readonly LookupChange[]) => void;

/**
 * Runs a command so that its effects happen once, and resolves once redirect processes can see
 * them.
 *
 * @param command resolves to the result of the job; look-up entries that it changed go to `publish`
 * @throws Refusal as the command does, or as its first run did
 */
export async function runIdempotent<Result>(
  job: JobContext,
  command: (trx: Db, publish: Publish) => Promise<Result>,
): Promise<Result> {
  if (job.isRepeat || job.keyed !== undefined) {
    const earlier = await earlierRun<Result>(job);
    if (earlier !== undefined) return earlier.result;
  }
  let outcome: { result: Result; changes: LookupChange[] };
  try {
    outcome = await db().transaction(async (trx) => {
      const changes: LookupChange[] = [];
      const result = await withinLimits(job.actor?.limits, () =>
        command(trx, (more) => changes.push(...more)),
      );
      await recordJob(trx, job, result);
      await remember(trx, job, { result }, changes);
      return { result, changes };
    });
  } catch (fault) {
    const thrown = refusalOf(fault, job);
    if (thrown instanceof Refusal) {
      await remember(db(), job, { refused: thrown.toJSON() }, []).catch(ignoreRanBefore);
    }
    // With two concurrent runs, the outcome is what the other one committed, whatever went wrong in
    // this one.
    const earlier = await earlierRun<Result>(job);
    // A job that was spooled for long may have run so long ago that its result is no longer kept.
    if (earlier === undefined) throw thrown instanceof RanBefore ? expired(job.jobId) : thrown;
    return earlier.result;
  }
  await Promise.all([publishCommitted(cacheRedis(), outcome.changes), recordWrite(job.projectId)]);
  return outcome.result;
}

/**
 * Runs a part of a command in a savepoint. Its look-up changes are published only where it succeeds.
 *
 * @throws whatever `part` throws, with the effects of `part` undone and those before it kept
 */
export async function inSavepoint<Result>(
  trx: Db,
  publish: Publish,
  part: (inner: Db, publish: Publish) => Promise<Result>,
): Promise<Result> {
  const changes: LookupChange[] = [];
  const result = await trx.transaction((inner) => part(inner, (more) => changes.push(...more)));
  publish(changes);
  return result;
}

/**
 * A value that Postgres refuses would be refused at every attempt, so it is the request's error.
 */
function refusalOf(fault: unknown, { log }: JobContext): unknown {
  if (!isValueError(fault)) return fault;
  log.warn({ err: fault }, 'a statement refused a value');
  return new Refusal('unprocessable_entity', VALUE_REFUSED);
}

const nameOf = ({ name, version }: LookupChange): ChangedName => ({ name, version });

/** Thrown when another run of the job has committed. */
class RanBefore extends Error {}

function ignoreRanBefore(error: unknown): void {
  if (!(error instanceof RanBefore)) throw error;
}

async function remember(
  connection: Db,
  { projectId, jobId, keyed, acceptedAt }: JobContext,
  outcome: StoredOutcome,
  changes: LookupChange[],
): Promise<void> {
  // The row of an expired Idempotency-Key is free for a new request. For a request that was
  // accepted earlier and spooled it had not expired: then the row belongs to this job.
  const stored = await preparedRows<object>(
    connection,
    'insert jobs',
    `INSERT INTO jobs AS known (project_id, id, outcome, changes, fingerprint, first_request)
     VALUES (:projectId, :jobId, :outcome, :changes, :fingerprint, :request)
     ON CONFLICT (project_id, id) DO UPDATE SET
       outcome = excluded.outcome, changes = excluded.changes, fingerprint = excluded.fingerprint,
       first_request = excluded.first_request, created_at = excluded.created_at
      WHERE :fingerprint::text IS NOT NULL
        AND known.created_at <= coalesce(:acceptedAt::timestamptz, now()) - make_interval(hours => :hours)
     RETURNING id`,
    {
      projectId,
      jobId,
      outcome: encodeOutcome(outcome),
      changes: changes.length === 0 ? null : JSON.stringify(changes.map(nameOf)),
      fingerprint: keyed?.fingerprint ?? null,
      request: keyed?.request ?? null,
      acceptedAt: acceptedAt === undefined ? null : new Date(acceptedAt),
      hours: KEYED_HOURS,
    },
  );
  if (stored.length === 0) throw new RanBefore();
}

async function earlierRun<Result>({
  projectId,
  jobId,
  keyed,
}: JobContext): Promise<{ result: Result } | undefined> {
  const row = await findOutcome(projectId, [jobId], keyed);
  if (row === undefined) return undefined;
  await Promise.all([publishPresent(cacheRedis(), row.changes), recordWrite(projectId)]);
  if ('refused' in row.outcome) throw refusalFrom(row.outcome.refused);
  return row.outcome as { result: Result };
}

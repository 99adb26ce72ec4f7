import { recordJob } from '../audit/write.ts';
import { Refusal, type RefusalData } from '../errors.ts';
import { type Db, db, execute, isDeadlock, isLockTimeout, rows } from '../infra/db.ts';
import { withinLimits } from '../infra/limits.ts';
import { isValueError, VALUE_REFUSED } from '../infra/outage.ts';
import { inSavepoint, type Publish, runIdempotent } from '../jobs/run-idempotent.ts';
import { type Actor, type JobContext, Postponed } from '../queues/definition.ts';
import { changes as changesOf } from '../queues/job.ts';
import { type PlacedRecord, publishRecordEvent } from '../webhooks/outbox.ts';
import { limitsOf, memberLimitsSql, type StoredLimits } from '../workspaces/limits.ts';
import type { SharedChanges } from './fields.ts';
import type { SharedFilters } from './filters.ts';
import { type Author, updatedBy } from './history.ts';
import type { RecordKind, ShortLinkModel } from './model.ts';
import { requestPreview } from './preview.ts';
import type { ShortLinkQueries } from './queries.ts';

/* Applies due changes (`scheduled.ts`). */

/** Time until another job is queued for a change that is still due after the first one, in s. */
const FIRST_RETRY_S = 0.25;
/** Number of times that this time doubles. */
const DOUBLINGS = 14;
/** Maximum number of changes whose jobs are queued at a time. */
const BATCH = 1_000;
/** Message of a change that failed for a fault, whose details are in the log. */
const FAULT = 'The service could not apply the change because of an error of its own';

/** The result of a job that applies due changes. */
export interface Applied {
  /** Number of applied changes. */
  count: number;
  /** The record, if its link-preview card may need the texts of the destination. */
  card?: { id: string; url?: unknown; title: string | null } | undefined;
}

/** The reads of links or QR codes that scheduled changes need. */
export type Records<Row extends ShortLinkModel> = Pick<
  ShortLinkQueries<Row, PlacedRecord, SharedFilters>,
  'tables' | 'lock' | 'lockAll'
>;

/** Applies a change to a locked record. @throws Refusal if it breaks a rule */
export type ApplyChange<Row, Changes, Sealed> = (
  trx: Db,
  before: Row,
  changes: Changes,
  publish: Publish,
  author: Author,
) => Promise<Sealed>;

/** A due change. */
interface DueChange<Changes> {
  id: string;
  user_id: string | null;
  api_key_id: string | null;
  key_limits: StoredLimits | null;
  /** Also those that a former member had. */
  member_limits: StoredLimits | null;
  changes: Changes;
  password: string | null;
}

/**
 * Applies the due changes of a record in the order of their times, each as the update of its author
 * and within the limits that the author has by then.
 * A refused one fails, and does not stop the others; nor does one that a fault keeps from being
 * applied at each attempt.
 */
export async function applyDue<
  Row extends ShortLinkModel,
  Changes extends SharedChanges,
  Sealed extends PlacedRecord & NonNullable<Applied['card']>,
>(
  records: Records<Row>,
  job: JobContext,
  recordId: string,
  apply: ApplyChange<Row, Changes, Sealed>,
): Promise<Applied> {
  const { projectId, log } = job;
  const { kind, noun } = records.tables;
  const applied = await runIdempotent(job, async (trx, publish): Promise<Applied> => {
    // Deletions lock the record before its changes too.
    const [existing] = await records.lockAll(trx, projectId, [recordId]);
    const result: Applied = { count: 0 };
    for (const due of await lockDue<Changes>(trx, projectId, recordId)) {
      const changes =
        due.password === null ? due.changes : { ...due.changes, password: due.password };
      const actor = actorOf(due);
      const outcome =
        existing === undefined
          ? new Refusal('not_found', `The ${noun} was deleted`)
          : await orRefusal(job, due.id, () =>
              inSavepoint(trx, publish, (inner, publishInner) =>
                withinLimits(actor?.limits, async () => {
                  const before = await records.lock(inner, { projectId }, recordId);
                  const complete = withFramesOf(before, changes);
                  return apply(inner, before, complete, publishInner, updatedBy({ actor }));
                }),
              ),
            );
      if (outcome instanceof Refusal) {
        await fail(trx, projectId, recordId, due.id, outcome);
        log.info(
          { recordId, changeId: due.id, refused: outcome.code },
          'a scheduled change failed',
        );
        continue;
      }
      await deleteApplied(trx, projectId, recordId, due.id);
      await publishRecordEvent(trx, projectId, `${kind}.updated`, outcome);
      const task = {
        name: `${kind}.update`,
        data: { id: recordId, changes },
        audit: changesOf(kind),
      };
      await recordJob(trx, { projectId, task, actor }, outcome);
      result.count += 1;
      const { id, url, title } = outcome;
      if (changes.proxy === true) result.card = { id, url, title };
    }
    return result;
  });
  if (applied.card !== undefined) await requestPreview(job, kind, applied.card);
  return applied;
}

/** Keeps the frameable destinations that the record got after the change was scheduled. */
function withFramesOf<Changes extends SharedChanges>(
  { frameable: present }: Pick<ShortLinkModel, 'frameable'>,
  changes: Changes,
): Changes {
  const { frameable } = changes;
  if (frameable === undefined || present === null) return changes;
  return { ...changes, frameable: [...new Set([...present, ...frameable])] };
}

function actorOf(due: DueChange<unknown>): Actor | undefined {
  const { user_id: userId, api_key_id: apiKeyId, key_limits, member_limits } = due;
  if (userId === null) return undefined;
  const limits = limitsOf(userId, [key_limits, member_limits]);
  return { userId, apiKeyId: apiKeyId ?? undefined, limits };
}

const lockDue = <Changes>(
  trx: Db,
  projectId: string,
  recordId: string,
): Promise<DueChange<Changes>[]> =>
  rows<DueChange<Changes>>(
    trx,
    // The transaction may have waited for the lock of the record since now().
    `SELECT s.id, s.user_id, s.api_key_id, s.changes, s.password, k.limits AS key_limits,
            CASE WHEN m.user_id IS NULL THEN e.limits ELSE ${memberLimitsSql} END AS member_limits
       FROM scheduled_changes s
       LEFT JOIN api_keys k ON k.project_id = s.project_id AND k.id = s.api_key_id
       LEFT JOIN workspace_users m ON m.project_id = s.project_id AND m.user_id = s.user_id
       LEFT JOIN ended_limits e ON e.project_id = s.project_id AND e.user_id = s.user_id
      WHERE s.project_id = ? AND s.record_id = ? AND s.failed_at IS NULL AND s.at <= clock_timestamp()
      ORDER BY s.at, s.id FOR UPDATE OF s`,
    [projectId, recordId],
  );

/**
 * @returns the refusal that a change throws, also for a value that Postgres refuses, and for a fault
 * in the last attempt. If Postgres cannot work, the failure of the change cannot be stored either.
 * @throws a fault before the last attempt, which may pass
 */
export async function orRefusal<Result>(
  { isLastAttempt, log }: Pick<JobContext, 'isLastAttempt' | 'log'>,
  changeId: string,
  change: () => Promise<Result>,
): Promise<Result | Refusal> {
  try {
    return await change();
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown;
    if (isValueError(thrown)) return new Refusal('unprocessable_entity', VALUE_REFUSED);
    // A wait for a lock does not count as an attempt, and a deadlock ends with the other write.
    const isPassing = thrown instanceof Postponed || isLockTimeout(thrown) || isDeadlock(thrown);
    if (isLastAttempt !== true || isPassing) throw thrown;
    log.error({ err: thrown, changeId }, 'a fault kept a change from being applied');
    return new Refusal('internal_server_error', FAULT);
  }
}

async function fail(
  trx: Db,
  projectId: string,
  recordId: string,
  changeId: string,
  { code, message }: RefusalData,
): Promise<void> {
  await execute(
    trx,
    `UPDATE scheduled_changes SET failed_at = now(), error = ?
      WHERE project_id = ? AND record_id = ? AND id = ?`,
    [JSON.stringify({ code, message }), projectId, recordId, changeId],
  );
}

async function deleteApplied(
  trx: Db,
  projectId: string,
  recordId: string,
  changeId: string,
): Promise<void> {
  await execute(
    trx,
    'DELETE FROM scheduled_changes WHERE project_id = ? AND record_id = ? AND id = ?',
    [projectId, recordId, changeId],
  );
}

/** A record with due changes. */
export interface DueRecord {
  project_id: string;
  record_id: string;
  kind: RecordKind;
}

/**
 * Finds records with due changes for which a job is to be queued, and notes that it is. Several
 * processes can do so at once.
 *
 * @returns at most {@link BATCH} records; `isMore` if others may be due
 */
export async function claimDue(): Promise<{ due: DueRecord[]; isMore: boolean }> {
  const claimed = await rows<DueRecord>(
    db(),
    `WITH due AS MATERIALIZED (
       SELECT project_id, record_id, id FROM scheduled_changes
        WHERE failed_at IS NULL AND queue_at <= now()
        ORDER BY queue_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)
     UPDATE scheduled_changes s
        SET jobs = least(s.jobs + 1, ${DOUBLINGS}),
            queue_at = now() + make_interval(secs => ${FIRST_RETRY_S} * 2 ^ s.jobs)
       FROM due WHERE s.project_id = due.project_id AND s.record_id = due.record_id AND s.id = due.id
     RETURNING s.project_id, s.record_id, s.kind`,
    [],
  );
  const due = new Map(claimed.map((one) => [`${one.project_id} ${one.record_id}`, one]));
  return { due: [...due.values()], isMore: claimed.length === BATCH };
}

/** Makes {@link claimDue} find every due change, as though no job was queued for it. */
export async function forgetClaims(): Promise<void> {
  await execute(
    db(),
    `WITH due AS MATERIALIZED (
       SELECT project_id, record_id, id FROM scheduled_changes
        WHERE failed_at IS NULL AND jobs > 0 AND at <= now() FOR UPDATE SKIP LOCKED)
     UPDATE scheduled_changes s SET jobs = 0, queue_at = s.at
       FROM due WHERE s.project_id = due.project_id AND s.record_id = due.record_id AND s.id = due.id`,
    [],
  );
}

import { Refusal } from '../errors.ts';
import { refuseChanged } from '../http/etag.ts';
import { canonicalJson } from '../infra/canonical.ts';
import { type Db, execute, rows } from '../infra/db.ts';
import { currentLimits } from '../infra/limits.ts';
import { unseal } from '../infra/seal.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import type { JobContext } from '../queues/definition.ts';
import type { ApplyChange, Records } from './apply-scheduled.ts';
import type { SharedChanges } from './fields.ts';
import { updatedBy } from './history.ts';
import type { ShortLinkModel } from './model.ts';
import { findScheduled } from './scheduled-queries.ts';
import { type ScheduledChange, toScheduled } from './scheduled-record.ts';

/*
 * A scheduled change is a row, which is the truth about it:
 *
 *   PATCH with `at` ─▶ tried and undone, row added
 *   due ─▶ worker_writes queues a job for the record ─▶ the job applies its due changes in the order
 *     of their times, and deletes their rows in the same transaction
 *
 * A job that finds no row has nothing to do, so a change is applied once, however many jobs there
 * are. While a change is due, further jobs are queued at growing intervals, and at once when a
 * process starts or jobs could not be queued, since a job can be lost or stay with a worker that
 * died. A change that is refused stays as a failed row, and does not stop later ones.
 *
 * The format of the stored changes lasts: they are applied by a release that can be a year newer.
 */

/** Maximum number of pending changes of a record. */
export const MAX_PENDING = 20;
/** Retention of failed changes, in days. */
export const FAILED_DAYS = 90;

/** The data of a job that schedules a change. */
export interface Scheduling<Changes> {
  /** Id of the record. */
  id: string;
  changeId: string;
  /** ISO 8601. */
  at: string;
  changes: Changes;
}

/** The data of a job that deletes a scheduled change. */
export interface Unscheduling {
  /** Id of the record. */
  id: string;
  changeId: string;
}

/**
 * Stores a change for later.
 *
 * @param apply tried at once, and undone
 * @param toShown converts the changes to the fields of a body
 * @throws Refusal `not_found`; `unprocessable_entity` if too many changes wait; as `apply` does
 */
export function schedule<Row extends ShortLinkModel, Changes extends SharedChanges>(
  records: Records<Row>,
  job: JobContext,
  { id, changeId, at, changes }: Scheduling<Changes>,
  apply: ApplyChange<Row, Changes, unknown>,
  toShown: (changes: Changes) => object,
): Promise<ScheduledChange> {
  const { projectId, actor } = job;
  const { kind, noun } = records.tables;
  return runIdempotent(job, async (trx) => {
    const row = await records.lock(trx, job, id);
    const { password, ...rest } = changes;
    const added = { changes: password === null ? changes : rest, password: password ?? null };
    const pending = await pendingAt(trx, projectId, id, at);
    const show = async (one: string) => {
      const stored = await findScheduled({ projectId, kind, recordId: id }, one, trx);
      return toScheduled(stored!, toShown(stored!.changes as Changes));
    };
    // A client repeats a request whose answer it did not get.
    const twin = pending.find((one) => one.isSameTime && isSame(projectId, one, added));
    if (twin !== undefined) return show(twin.id);
    if (pending.length >= MAX_PENDING) {
      throw new Refusal(
        'unprocessable_entity',
        `A ${noun} has at most ${MAX_PENDING} pending changes`,
      );
    }
    await tryOut(trx, (inner) => apply(inner, row, changes, () => {}, updatedBy(job)));
    await execute(
      trx,
      `INSERT INTO scheduled_changes (project_id, record_id, id, kind, at, queue_at, user_id, api_key_id,
                                      changes, password)
       VALUES (:projectId, :id, :changeId, :kind, :at, :at, :userId, :apiKeyId, :changes, :password)`,
      {
        projectId,
        id,
        changeId,
        kind,
        at,
        userId: actor?.userId ?? null,
        apiKeyId: actor?.apiKeyId ?? null,
        changes: JSON.stringify(added.changes),
        password: added.password,
      },
    );
    return show(changeId);
  });
}

/** The values of a change as they are stored. */
interface StoredValues {
  changes: object;
  /** Sealed. */
  password: string | null;
}

const pendingAt = (
  trx: Db,
  projectId: string,
  recordId: string,
  at: string,
): Promise<(StoredValues & { id: string; isSameTime: boolean })[]> =>
  rows(
    trx,
    `SELECT id, changes, password, at = ?::timestamptz AS "isSameTime" FROM scheduled_changes
      WHERE project_id = ? AND record_id = ? AND failed_at IS NULL ORDER BY id`,
    [at, projectId, recordId],
  );

/** Compares two changes; the same text is sealed differently each time. */
function isSame(projectId: string, one: StoredValues, other: StoredValues): boolean {
  const open = ({ password }: StoredValues) =>
    password === null ? null : unseal({ purpose: 'password', owner: projectId }, password);
  // Absent members are left out of JSON.
  const sent: unknown = JSON.parse(JSON.stringify(other.changes));
  return canonicalJson(one.changes) === canonicalJson(sent) && open(one) === open(other);
}

/** Thrown to undo a change that was only tried. */
class Undone extends Error {}

/** Makes a change and undoes it. @returns its result; @throws whatever `change` throws */
export async function tryOut<Result>(
  trx: Db,
  change: (inner: Db) => Promise<Result>,
): Promise<Result> {
  const results: Result[] = [];
  try {
    await trx.transaction(async (inner) => {
      results.push(await change(inner));
      throw new Undone();
    });
  } catch (thrown) {
    if (!(thrown instanceof Undone)) throw thrown;
  }
  return results[0]!;
}

/**
 * Deletes a scheduled change, pending or failed.
 *
 * @throws Refusal `not_found`, also for a record outside of the limits of the caller; `conflict` if the deletion expects another state of the change
 */
export function unschedule<Row extends ShortLinkModel, Changes>(
  records: Records<Row>,
  job: JobContext,
  { id, changeId }: Unscheduling,
  toShown: (changes: Changes) => object,
): Promise<{ id: string }> {
  const { projectId, ifMatch } = job;
  const { kind, noun } = records.tables;
  return runIdempotent(job, async (trx) => {
    // The record may have been moved out of the limits of the caller, who sees no deleted one.
    if (currentLimits() !== undefined) await records.lock(trx, { projectId }, id);
    const where = { project_id: projectId, record_id: id, kind, id: changeId };
    const locked = (await trx('scheduled_changes').where(where).forUpdate().first('id')) as unknown;
    if (locked === undefined) throw noScheduled(noun, changeId);
    const row = (await findScheduled({ projectId, kind, recordId: id }, changeId, trx))!;
    refuseChanged(ifMatch, toScheduled(row, toShown(row.changes as Changes)));
    await trx('scheduled_changes').where(where).delete();
    return { id: changeId };
  });
}

/** The refusal for a scheduled change that does not exist, or was applied. */
export const noScheduled = (noun: string, changeId: string): Refusal =>
  new Refusal('not_found', `There is no scheduled change "${changeId}" of this ${noun}`);

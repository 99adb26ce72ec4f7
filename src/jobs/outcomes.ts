import { Refusal, type RefusalData } from '../errors.ts';
import { db } from '../infra/db.ts';
import type { ChangedName } from '../lookup/publish.ts';
import type { Keyed } from '../queues/definition.ts';
import { decodeOutcome } from '../queues/replies.ts';

/** Time for which repeats of a request with an Idempotency-Key get its outcome, in hours. */
export const KEYED_HOURS = 24;

/**
 * Refuses an Idempotency-Key that was first sent with other contents. @throws Refusal `conflict`
 */
export function refuseOtherContents(first: string | null, { fingerprint }: Keyed): void {
  if (first === fingerprint) return;
  throw new Refusal(
    'conflict',
    `Idempotency-Key must not be sent again with other contents within ${KEYED_HOURS} hours`,
  );
}

/** The outcome of a job as stored in its row. */
export type StoredOutcome = { result: unknown } | { refused: RefusalData };

interface EndedJob {
  outcome: StoredOutcome;
  /** Names of the look-up entries that it changed. */
  changes: ChangedName[];
  /** The request that ran, among those with the job's Idempotency-Key. */
  firstRequest: string | null;
}

/**
 * Reads the outcome of a job; `undefined` until it has ended, and after its retention.
 *
 * @param ids its id and possible earlier ids
 * @param keyed the Idempotency-Key of the request
 * @throws Refusal `conflict` if the job belongs to a request with other contents
 */
export async function findOutcome(
  projectId: string,
  ids: readonly string[],
  keyed: Keyed | undefined,
): Promise<EndedJob | undefined> {
  const rows = db()('jobs')
    .where({ project_id: projectId })
    .whereIn('id', [...ids])
    .whereNotNull('outcome');
  if (keyed !== undefined) {
    rows.whereRaw('created_at > now() - make_interval(hours => ?)', [KEYED_HOURS]);
  }
  const row = (await rows.first('outcome', 'changes', 'fingerprint', 'first_request')) as
    | {
        outcome: string;
        changes: string | null;
        fingerprint: string | null;
        first_request: string | null;
      }
    | undefined;
  if (row === undefined) return undefined;
  if (keyed !== undefined) refuseOtherContents(row.fingerprint, keyed);
  return {
    outcome: decodeOutcome<StoredOutcome>(row.outcome),
    changes: JSON.parse(row.changes ?? '[]') as ChangedName[],
    firstRequest: row.first_request,
  };
}

/** A job as callers see it. */
export type JobRecord =
  | { id: string; status: 'queued' | 'running' }
  | { id: string; status: 'done'; result: unknown }
  | { id: string; status: 'failed'; error: RefusalData };

/**
 * Reads a job that has ended; `undefined` if it has not, or does not exist.
 *
 * @throws Refusal `invite_expired` if its result is no longer kept
 */
export async function findJob(projectId: string, id: string): Promise<JobRecord | undefined> {
  const row = (await db()('jobs').where({ project_id: projectId, id }).first('outcome')) as
    | { outcome: string | null }
    | undefined;
  if (row === undefined) return undefined;
  if (row.outcome === null) throw expired(id);
  const outcome = decodeOutcome<StoredOutcome>(row.outcome);
  return 'refused' in outcome
    ? { id, status: 'failed', error: outcome.refused }
    : { id, status: 'done', result: outcome.result };
}

/** Makes the refusal of a request for a result that is no longer kept. */
export const expired = (jobId: string): Refusal =>
  new Refusal('invite_expired', `The result of job "${jobId}" has expired`);

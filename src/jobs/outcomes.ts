import type { RefusalData } from '../errors.ts';
import { db } from '../infra/db.ts';
import type { ChangedName } from '../lookup/publish.ts';
import type { Keyed } from '../queues/definition.ts';
import { decodeOutcome } from '../queues/replies.ts';
import { KEYED_HOURS, refuseOtherContents } from './keyed.ts';

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

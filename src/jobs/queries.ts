import { Refusal, type RefusalData } from '../errors.ts';
import { db } from '../infra/db.ts';
import { decodeOutcome } from '../queues/replies.ts';
import type { StoredOutcome } from './outcomes.ts';

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
  if (row.outcome === null)
    throw new Refusal('invite_expired', `The result of job "${id}" has expired`);
  const outcome = decodeOutcome<StoredOutcome>(row.outcome);
  return 'refused' in outcome
    ? { id, status: 'failed', error: outcome.refused }
    : { id, status: 'done', result: outcome.result };
}

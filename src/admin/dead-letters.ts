import { Refusal } from '../errors.ts';
import {
  findRejected,
  latestRejected,
  type RejectedVisit,
} from '../events/ingest/rejected-visits.ts';
import type { ApiRequest } from '../http/route.ts';
import { runJob } from '../jobs/run-job.ts';
import { QUEUES, type QueueName } from '../queues/index.ts';
import type { FailedJob, Inspector } from '../queues/inspect.ts';
import { rejectedVisitJobs } from './jobs.ts';
import { type DeadLetterQuery, type Source, VISITS } from './schema.ts';

/*
 * A dead letter is a job that failed for good, which its queue keeps, or a visit that the database
 * rejected, which is a row. Ids are `<queue>:<id of the job>` and `visits:<id of the row>`.
 */

const NAMES = Object.keys(QUEUES) as QueueName[];
const idOf = (source: Source, localId: string): string => `${source}:${localId}`;

const ofJob = (source: QueueName, { jobId, job, projectId, ...failed }: FailedJob) => ({
  id: idOf(source, jobId),
  source,
  job,
  projectId,
  failedAt: failed.failedAt.toISOString(),
  attempts: failed.attempts,
  error: failed.error,
});

const ofVisit = ({ id, visit, rejectedAt, attempts, code, message }: RejectedVisit) => ({
  id: idOf(VISITS, id),
  source: VISITS,
  job: 'visits.record',
  projectId: visit.projectId,
  failedAt: rejectedAt.toISOString(),
  attempts,
  error: code === null ? message : `${message} (${code})`,
});

/** Lists dead letters, latest first. */
export async function listDeadLetters(
  inspector: Inspector,
  { source, page, limit }: DeadLetterQuery,
): Promise<object[]> {
  const end = page * limit;
  const queues = NAMES.filter((name) => source === undefined || source === name);
  const lists = await Promise.all([
    ...queues.map(async (name) =>
      (await inspector.listFailed(QUEUES[name].queue, end)).map((failed) => ofJob(name, failed)),
    ),
    source === undefined || source === VISITS
      ? latestRejected(end).then((rejected) => rejected.map(ofVisit))
      : [],
  ]);
  return lists
    .flat()
    .toSorted((a, b) => (a.failedAt < b.failedAt ? 1 : -1))
    .slice(end - limit, end);
}

/**
 * Parses the id of a dead letter.
 *
 * @throws Refusal `not_found` for a malformed id
 */
function placeOf(id: string): { source: Source; localId: string } {
  const at = id.indexOf(':');
  const [source, localId] = [id.slice(0, at), id.slice(at + 1)];
  const isKnown = source === VISITS || NAMES.includes(source as QueueName);
  if (at === -1 || !isKnown || localId === '') throw missing(id);
  return { source: source as Source, localId };
}

const missing = (id: string): Refusal =>
  new Refusal('not_found', `There is no dead letter "${id}"`);

/**
 * Reads a rejected visit.
 *
 * @throws Refusal `not_found`
 */
async function existing(localId: string): Promise<RejectedVisit> {
  const rejected = await findRejected(localId);
  if (rejected === undefined) throw missing(idOf(VISITS, localId));
  return rejected;
}

/**
 * Reads a dead letter with its data.
 *
 * @throws Refusal `not_found`
 */
export async function readDeadLetter(inspector: Inspector, id: string): Promise<object> {
  const { source, localId } = placeOf(id);
  if (source === VISITS) {
    const rejected = await existing(localId);
    return { ...ofVisit(rejected), requestId: null, stack: '', data: rejected.visit };
  }
  const failed = await inspector.findFailed(QUEUES[source].queue, localId);
  if (failed === undefined) throw missing(id);
  const { requestId, stack, data } = failed;
  return { ...ofJob(source, failed), requestId, stack, data };
}

/**
 * Retries a dead letter once.
 *
 * @throws Refusal `not_found`
 */
export async function retryDeadLetter(
  request: ApiRequest,
  id: string,
): Promise<{ status: 'queued' | 'stored' | 'rejected' }> {
  const { source, localId } = placeOf(id);
  if (source === VISITS) {
    await existing(localId);
    const { isStored } = await runJob(request, rejectedVisitJobs['rejected.retry'], {
      id: localId,
    });
    return { status: isStored ? 'stored' : 'rejected' };
  }
  const { inspector } = request.queues;
  if (!(await inspector.retryFailed(QUEUES[source].queue, localId))) throw missing(id);
  return { status: 'queued' };
}

/**
 * Deletes a dead letter, whose work will never be done.
 *
 * @throws Refusal `not_found`
 */
export async function discardDeadLetter(request: ApiRequest, id: string): Promise<void> {
  const { source, localId } = placeOf(id);
  if (source === VISITS) {
    await existing(localId);
    await runJob(request, rejectedVisitJobs['rejected.discard'], { id: localId });
    return;
  }
  const { inspector } = request.queues;
  if (!(await inspector.discardFailed(QUEUES[source].queue, localId))) throw missing(id);
}

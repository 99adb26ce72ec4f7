import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import { RETRY_S } from '../http/answer-error.ts';
import {
  type Answer,
  type ApiRequest,
  type Queues,
  type Requester,
  type RouteInput,
  replayed,
} from '../http/route.ts';
import { needsReplicas } from '../infra/replicas.ts';
import type { JobOrigin } from '../queues/definition.ts';
import type { Job } from '../queues/job.ts';
import { Unacknowledged } from '../queues/producer.ts';
import { EVERYBODY, refusalFrom } from '../queues/replies.ts';
import { newJobId } from './job-ids.ts';
import { findOutcome, refuseOtherContents } from './outcomes.ts';

/**
 * The origin of a job that a request adds: its workspace, its actor, and the tenant whose share it
 * uses.
 */
export const originOf = ({
  caller: { projectId, network, userId, apiKeyId, origins, limits },
  requestId,
}: Requester) => ({
  projectId,
  requestId,
  actor: userId === '' ? undefined : { userId, apiKeyId: apiKeyId || undefined, limits },
  // Visitors of pages have a share of the workers of their own, beside that of the workspace.
  tenant: origins === null ? network : `page ${projectId}`,
});

/** The parts of a request that a write needs. */
type WriteRequest = Requester & Pick<ApiRequest, 'idempotency' | 'ifMatch'>;

/**
 * Queues a write and waits for its worker. The answer is the result; it is 202 with the URL of the
 * job if the client does not want to wait, or the worker takes longer than WRITE_WAIT_MS. A repeat
 * of a request with an Idempotency-Key gets the first answer.
 *
 * @param data a function if it is expensive: it is not called for a repeat
 * @param finish builds the answer from the job's result
 * @throws Refusal if the worker refused, and Error if the job failed for good
 */
export async function answerWrite<Data, Result>(
  request: ApiRequest<RouteInput>,
  job: Job<Data, Result>,
  data: NoInfer<Data> | (() => Promise<NoInfer<Data>>),
  finish: (result: NoInfer<Result>) => Answer,
): Promise<Answer> {
  const { idempotency, queues } = request;
  const { replies } = queues;
  const first = await firstAnswer(request, finish);
  if (first !== undefined) return first;
  if (idempotency?.late !== undefined) throw idempotency.late;
  const jobData = typeof data === 'function' ? await (data as () => Promise<Data>)() : data;
  if (request.respondAsync) return answerAccepted(request, job, jobData);

  const write = writeOf(request, job, jobData, replies.address);
  const { jobId } = write.options;
  const reply = replies.expect<Result>(jobId, config().WRITE_WAIT_MS);
  try {
    await enqueue(write);
    // A repeat's job may have replied just before the subscription, while its remains made Redis
    // drop this one.
    const early = await readableAnswer(request, finish);
    if (early !== undefined) {
      reply.cancel();
      return early;
    }
  } catch (error) {
    reply.cancel();
    throw error;
  }
  const outcome = await reply.outcome;
  if (outcome === undefined) {
    if (needsReplicas()) await confirm(write);
    return accepted(jobId);
  }
  if ('fault' in outcome) throw new Error(`job ${jobId} failed`);
  // The job's row answers this request and its repeats.
  if (idempotency !== undefined) {
    return (await readableAnswer(request, finish)) ?? accepted(jobId);
  }
  if ('refused' in outcome) throw refusalFrom(outcome.refused);
  return finish(outcome.result);
}

/**
 * The answer to the first request with the same Idempotency-Key.
 *
 * @throws Refusal the first request's refusal; `conflict` if its contents differ
 */
async function firstAnswer<Result>(
  { idempotency, caller }: Pick<ApiRequest, 'idempotency' | 'caller'>,
  finish: (result: Result) => Answer,
): Promise<Answer | undefined> {
  if (idempotency === undefined) return undefined;
  const { jobId, earlierJobId, keyed } = idempotency;
  const ended = await findOutcome(caller.projectId, [jobId, earlierJobId], keyed);
  if (ended === undefined) return undefined;
  const { outcome, firstRequest } = ended;
  const isReplayed = firstRequest !== keyed.request;
  if ('refused' in outcome) throw refusalFrom(outcome.refused, isReplayed);
  const answer = finish(outcome.result as Result);
  return isReplayed ? replayed(answer) : answer;
}

/**
 * The first answer to a request whose job is queued; `undefined` also if Postgres cannot tell,
 * since a failure here would look like one of the write, which continues.
 *
 * @throws Refusal as `firstAnswer` does
 */
async function readableAnswer<Result>(
  request: ApiRequest<RouteInput>,
  finish: (result: Result) => Answer,
): Promise<Answer | undefined> {
  try {
    return await firstAnswer(request, finish);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const { log, requestId } = request;
    log.warn({ err: error, requestId }, 'the outcome of a write could not be read');
    return undefined;
  }
}

/** Queues a job without waiting for it: 202 and the URL of the job. */
export async function answerAccepted<Data>(
  request: WriteRequest,
  job: Job<Data, unknown>,
  data: NoInfer<Data>,
): Promise<Answer> {
  const write = writeOf(request, job, data, undefined);
  await enqueue(write, { isAccepted: true });
  return accepted(write.options.jobId);
}

/** A write on its way to its queue. */
interface Write<Data> {
  queues: Queues;
  job: Job<Data, unknown>;
  data: NoInfer<Data>;
  options: JobOrigin & { jobId: string };
}

/** @param address of the process that waits for the reply */
const writeOf = <Data>(
  request: WriteRequest,
  job: Job<Data, unknown>,
  data: NoInfer<Data>,
  address: string | undefined,
): Write<Data> => ({
  queues: request.queues,
  job,
  data,
  options: {
    ...originOf(request),
    jobId: request.idempotency?.jobId ?? newJobId(request.caller),
    // A repeat may have added the job, and another process may wait for it.
    replyTo: request.idempotency === undefined ? address : EVERYBODY,
    keyed: request.idempotency?.keyed,
    ifMatch: request.ifMatch,
  },
});

/**
 * Queues a write. If Redis does not acknowledge it, it is written to disk, from where it is added
 * again. That is safe, since a job that runs twice has its effects once.
 *
 * @throws Refusal `conflict` if there is a job with the same Idempotency-Key and other contents,
 *   `service_unavailable` if neither Redis nor the disk has the job, and Error if it was certainly
 *   not added
 */
async function enqueue<Data>(write: Write<Data>, { isAccepted = false } = {}): Promise<void> {
  const { queues, job, data, options } = write;
  const { producer, spool } = queues;
  const add = () => producer.add(job, data, options);
  // The outcome of an awaited job is in Postgres, so until it has one Redis may lose the job.
  const added = async () => {
    await (isAccepted ? producer.replicated(job.queue, add) : add());
    await refuseOtherJob(write);
  };
  try {
    await spool.inTime(added());
  } catch (error) {
    if (error instanceof Unacknowledged) await spoolJob(write);
    else if (error instanceof Refusal || !spool.isHurried) throw error;
    else throw unavailable();
  }
}

/**
 * @throws Refusal `conflict` if the job was dropped for a pending one with the same key and other
 *   contents
 */
async function refuseOtherJob<Data>({ queues, job, options }: Write<Data>): Promise<void> {
  const { projectId, jobId, keyed } = options;
  if (keyed === undefined) return;
  const waiting = await queues.producer.keyedOf(job.queue, jobId);
  if (waiting === undefined || waiting.fingerprint === keyed.fingerprint) return;
  // Or this job has ended, and the waiting one came later.
  const ended = await findOutcome(projectId, [jobId], keyed);
  if (ended === undefined) refuseOtherContents(waiting.fingerprint, keyed);
}

/**
 * Adds a job without an outcome once more, so that replicas or the disk have it before it is
 * answered with 202.
 */
async function confirm<Data>(write: Write<Data>): Promise<void> {
  const { queues, job, data, options } = write;
  const { producer, spool } = queues;
  const adding = producer.replicated(job.queue, () => producer.add(job, data, options));
  await spool.inTime(adding).catch(() => spoolJob(write));
}

/** Writes a job to disk. @throws Refusal `service_unavailable` */
async function spoolJob<Data>({ queues, job, data, options }: Write<Data>): Promise<void> {
  await queues.spool.store(job, data, options).catch(() => {
    throw unavailable();
  });
}

/** The refusal when a job may have reached Redis or not. */
const unavailable = () =>
  new Refusal(
    'service_unavailable',
    `The service cannot store this now. Try again in ${RETRY_S} s; with the same Idempotency-Key it is done once`,
  );

function accepted(jobId: string): Answer {
  return {
    status: 202,
    body: { id: jobId, status: 'queued' },
    headers: { Location: `/jobs/${jobId}` },
  };
}

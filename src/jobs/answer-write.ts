import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import { replayed } from '../http/answer.ts';
import { RETRY_S } from '../http/answer-error.ts';
import type { Answer, ApiRequest, RouteInput } from '../http/route.ts';
import { needsReplicas } from '../infra/replicas.ts';
import type { QueueId } from '../queues/definition.ts';
import type { Job } from '../queues/job.ts';
import { Unacknowledged } from '../queues/producer.ts';
import { EVERYBODY } from '../queues/replies.ts';
import { newJobId } from './job-ids.ts';
import { refuseOtherContents } from './keyed.ts';
import { findOutcome } from './outcomes.ts';
import { originOf, type Requester, refusalFrom } from './run-job.ts';

/** The parts of a request that a write needs. */
type Writer = Requester & Pick<ApiRequest, 'idempotency' | 'ifMatch'>;

/**
 * Puts a write on its queue and waits for the worker. The answer says that the write is done; when the
 * client does not want to wait, or the worker takes longer than WRITE_WAIT_MS, it is 202 and the address of the job.
 * A repeat of a request with an Idempotency-Key gets the first answer.
 *
 * @param data a function where it takes work: it is not called for a repeat
 * @param finish makes the answer from the job's result
 * @throws Refusal when the worker refused, and Error when the job failed for good
 */
export async function answerWrite<Data, Result>(
  request: ApiRequest<RouteInput>,
  job: Job<Data, Result>,
  data: NoInfer<Data> | (() => Promise<NoInfer<Data>>),
  finish: (result: NoInfer<Result>) => Answer,
): Promise<Answer> {
  const { idempotency, caller, queues } = request;
  const { replies } = queues;
  const first = await firstAnswer(request, finish);
  if (first !== undefined) return first;
  if (idempotency?.late !== undefined) throw idempotency.late;
  const made = await madeOf(data);
  if (request.respondAsync) return answerAccepted(request, job, made);

  const jobId = idempotency?.jobId ?? newJobId(caller);
  const reply = replies.expect<Result>(jobId, config().WRITE_WAIT_MS);
  // The job may be that of a repeat, which another process waits for.
  const replyTo = idempotency === undefined ? replies.address : EVERYBODY;
  try {
    await send(request, job, made, { jobId, replyTo });
    // The job of a repeat may have replied just before we listened, and kept ours away because it was not quite gone.
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
    if (needsReplicas()) await confirm(request, job, made, { jobId, replyTo });
    return accepted(jobId);
  }
  if ('fault' in outcome) throw new Error(`job ${jobId} failed`);
  // This request and its repeats are all answered from the job's row.
  if (idempotency !== undefined) {
    return (await readableAnswer(request, finish)) ?? accepted(jobId);
  }
  if ('refused' in outcome) throw refusalFrom(outcome.refused);
  return finish(outcome.result);
}

const madeOf = async <Data>(data: Data | (() => Promise<Data>)): Promise<Data> =>
  typeof data === 'function' ? (data as () => Promise<Data>)() : data;

/**
 * The answer that the first request with the same Idempotency-Key got.
 *
 * @throws Refusal what the first one was refused with; `conflict` when it had other contents
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
 * The first answer of a request with a job on its queue; `undefined` also where Postgres cannot tell: a failure would be taken
 * for one of the write, which goes on.
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

/** Adds a job without waiting for it: 202 and the URL of the job. */
export async function answerAccepted<Data>(
  request: Writer,
  job: Job<Data, unknown>,
  data: NoInfer<Data>,
): Promise<Answer> {
  const jobId = request.idempotency?.jobId ?? newJobId(request.caller);
  const replyTo = request.idempotency === undefined ? {} : { replyTo: EVERYBODY };
  await send(request, job, data, { jobId, ...replyTo, isAccepted: true });
  return accepted(jobId);
}

/**
 * Puts a write on its queue. Where Redis may have got it and has not said so, it is written to the disk, from where it is added
 * again. That is safe, because a job that runs twice has its effects once.
 *
 * @throws Refusal `conflict` when a job with the same Idempotency-Key and other contents is there, `service_unavailable` when
 *   neither Redis nor the disk has the job, and Error when it was certainly not added
 */
async function send<Data>(
  request: Writer,
  job: Job<Data, unknown>,
  data: NoInfer<Data>,
  { isAccepted = false, ...address }: JobAddress & { isAccepted?: boolean },
): Promise<void> {
  const { producer, spool } = request.queues;
  const add = adding(request, job, data, address);
  // Of a job that is waited for, the outcome is in Postgres: it may be lost by Redis as long as it has none.
  const added = async () => {
    await (isAccepted ? producer.replicated(job.queue, add) : add());
    await refuseOtherJob(request, job.queue, address.jobId);
  };
  try {
    await spool.inTime(added());
  } catch (error) {
    if (error instanceof Unacknowledged) await keep(request, job, data, address);
    else if (error instanceof Refusal || !spool.isHurried) throw error;
    else throw unavailable();
  }
}

/** @throws Refusal `conflict` when the job of the request was dropped for one with other contents that has not run yet */
async function refuseOtherJob(
  { queues, caller, idempotency }: Writer,
  queue: QueueId,
  jobId: string,
): Promise<void> {
  const keyed = idempotency?.keyed;
  if (keyed === undefined) return;
  const waiting = await queues.producer.keyedOf(queue, jobId);
  if (waiting === undefined || waiting.fingerprint === keyed.fingerprint) return;
  // Or ours has ended, and the one that waits came after it.
  const ended = await findOutcome(caller.projectId, [jobId], keyed);
  if (ended === undefined) refuseOtherContents(waiting.fingerprint, keyed);
}

/** Adds a job that has no outcome yet once more, so that replicas or the disk have it before it is answered with 202. */
async function confirm<Data>(
  request: Writer,
  job: Job<Data, unknown>,
  data: NoInfer<Data>,
  address: JobAddress,
): Promise<void> {
  const { producer, spool } = request.queues;
  const add = adding(request, job, data, address);
  await spool
    .inTime(producer.replicated(job.queue, add))
    .catch(() => keep(request, job, data, address));
}

/** Writes a job to the disk. @throws Refusal `service_unavailable` */
async function keep<Data>(
  request: Writer,
  job: Job<Data, unknown>,
  data: NoInfer<Data>,
  address: JobAddress,
): Promise<void> {
  const options = optionsOf(request, address);
  await request.queues.spool.keep(job, data, options).catch(() => {
    throw unavailable();
  });
}

/** The job may have reached Redis all the same. */
const unavailable = () =>
  new Refusal(
    'service_unavailable',
    `The service cannot store this now. Try again in ${RETRY_S} s; with the same Idempotency-Key it is done once`,
  );

/** The id of a job, and where its outcome is awaited. */
interface JobAddress {
  jobId: string;
  replyTo?: string;
}

const optionsOf = (request: Writer, address: JobAddress) => ({
  ...originOf(request),
  keyed: request.idempotency?.keyed,
  ifMatch: request.ifMatch,
  ...address,
});

/** Adds the job of a write, when it is called. */
const adding =
  <Data>(request: Writer, job: Job<Data, unknown>, data: NoInfer<Data>, address: JobAddress) =>
  (): Promise<void> =>
    request.queues.producer.add(job, data, optionsOf(request, address));

function accepted(jobId: string): Answer {
  return {
    status: 202,
    body: { id: jobId, status: 'queued' },
    headers: { Location: `/jobs/${jobId}` },
  };
}

import { Refusal } from '../errors.ts';
import { RETRY_S } from '../http/answer-error.ts';
import type { Requester } from '../http/route.ts';
import { newId } from '../ids.ts';
import { type HandedOver, noRoom, take } from '../infra/kept.ts';
import type { Job } from '../queues/job.ts';
import { Unacknowledged } from '../queues/producer.ts';
import { EVERYBODY, type Outcome, refusalFrom } from '../queues/replies.ts';
import { originOf } from './answer-write.ts';

/** Time limit for jobs that a request waits for, in ms. */
const PATIENCE_MS = 15_000;

/**
 * Runs a job and waits for its result, which nobody can request later.
 *
 * @throws Refusal if the worker refused or took longer than PATIENCE_MS, and Error if it failed
 */
export async function runJob<Data, Result>(
  request: Requester,
  job: Job<Data, Result>,
  data: NoInfer<Data>,
): Promise<Result> {
  const { producer, replies } = request.queues;
  const jobId = newId('job');
  const reply = replies.expect<Result>(jobId, PATIENCE_MS);
  try {
    const options = { jobId, ...originOf(request), replyTo: replies.address };
    await producer.add(job, data, options);
  } catch (error) {
    // The job may be queued, so its reply may still come.
    if (!(error instanceof Unacknowledged)) {
      reply.cancel();
      throw error;
    }
  }
  return resultOf(jobId, await reply.outcome);
}

/** Pending results by job, which requests of this process share. */
const flights = new Map<string, Promise<unknown>>();

/** A job whose result is cached under its id, or handed over if the cache is full. */
interface OnceJob<Data> {
  job: Job<Data, HandedOver | undefined>;
  data: NoInfer<Data>;
  jobId: string;
  isLowPriority?: boolean;
}

interface OnceResult<Result> {
  /** Reads the cached result; `null` if there is none. */
  find(): Promise<Result | null>;
  /** Parses the bytes of a result that was handed over. */
  read(bytes: Buffer): Result;
}

/**
 * Returns a result that is cached under the job's id, or runs the job for it. Concurrent requests
 * for a result wait for one job, across all processes.
 *
 * @throws as runJob does
 */
export async function runJobOnce<Data, Result>(
  request: Requester,
  once: OnceJob<Data>,
  result: OnceResult<Result>,
): Promise<Result> {
  const stored = await result.find();
  if (stored !== null) return stored;
  let flight = flights.get(once.jobId) as Promise<Result> | undefined;
  if (flight === undefined) {
    flight = retryJoin(request, once, result).finally(() => flights.delete(once.jobId));
    flights.set(once.jobId, flight);
  }
  return flight;
}

/** Maximum number of attempts to get a result that another process takes first. */
const MAX_READS = 5;

async function retryJoin<Data, Result>(
  request: Requester,
  once: OnceJob<Data>,
  result: OnceResult<Result>,
): Promise<Result> {
  for (let attempt = 0; attempt < MAX_READS; attempt += 1) {
    const stored = await join(request, once, result);
    if (stored !== null) return stored;
  }
  throw noRoom();
}

/** @returns `null` if another process has taken the result */
async function join<Data, Result>(
  request: Requester,
  { job, data, jobId, isLowPriority = false }: OnceJob<Data>,
  { find, read }: OnceResult<Result>,
): Promise<Result | null> {
  const { cache, producer, replies } = request.queues;
  const reply = replies.expect<HandedOver | undefined>(jobId, PATIENCE_MS);
  try {
    const options = { jobId, ...originOf(request), replyTo: EVERYBODY, isLowPriority };
    await producer.add(job, data, options);
    // An earlier job may have replied just before the subscription, while its remains made Redis
    // drop this one.
    const stored = await find();
    if (stored !== null) {
      reply.cancel();
      return stored;
    }
  } catch (error) {
    reply.cancel();
    throw error;
  }
  const handed = resultOf(jobId, await reply.outcome);
  if (handed !== undefined) {
    const bytes = await take(cache, handed);
    return bytes === null ? null : read(bytes);
  }
  return find();
}

function resultOf<Result>(jobId: string, outcome: Outcome<Result> | undefined): Result {
  // Every job has a shorter time limit, so this one waited for other jobs or for a worker.
  if (outcome === undefined) {
    throw new Refusal(
      'service_unavailable',
      `The service is busy and has not done this within ${PATIENCE_MS / 1000} s; try again in ${RETRY_S} s`,
    );
  }
  if ('refused' in outcome) throw refusalFrom(outcome.refused);
  if ('fault' in outcome) throw new Error(`job ${jobId} failed`);
  return outcome.result;
}

import { Refusal, type RefusalData } from '../errors.ts';
import { RETRY_S } from '../http/answer-error.ts';
import type { ApiRequest } from '../http/route.ts';
import { newId } from '../ids.ts';
import { type HandedOver, noRoom, take } from '../infra/kept.ts';
import type { Job } from '../queues/job.ts';
import { Unacknowledged } from '../queues/producer.ts';
import { EVERYBODY, type Outcome } from '../queues/replies.ts';

/** Time limit for jobs that a request waits for, in ms. */
const PATIENCE_MS = 15_000;

/** The parts of a request that a job needs. */
export type Requester = Pick<ApiRequest, 'queues' | 'caller' | 'requestId'>;

/** The origin of a job that a request adds: its workspace, its actor, and the tenant on whose share it runs. */
export const originOf = ({
  caller: { projectId, network, userId, apiKeyId },
  requestId,
}: Requester) => ({
  projectId,
  requestId,
  actor: userId === '' ? undefined : { userId, apiKeyId: apiKeyId || undefined },
  tenant: network,
});

/**
 * Runs a job whose result no client requests later, and waits for it.
 *
 * @throws Refusal when the worker refused or took longer than PATIENCE_MS, and Error when it failed
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
    // It may be on its queue: then its reply comes.
    if (!(error instanceof Unacknowledged)) {
      reply.cancel();
      throw error;
    }
  }
  return resultOf(jobId, await reply.outcome);
}

/** Pending results that several requests of this process share, by job. */
const flights = new Map<string, Promise<unknown>>();

/** A job whose result is cached under its id or, where there is no room, handed over. */
interface OnceJob<Data> {
  job: Job<Data, HandedOver | undefined>;
  data: NoInfer<Data>;
  jobId: string;
  isLowPriority?: boolean;
}

interface OnceResult<Made> {
  /** Reads the cached result; `null` without one. */
  find(): Promise<Made | null>;
  /** The result of the bytes that were handed over. */
  read(bytes: Buffer): Made;
}

/**
 * Returns a result that is cached under the job's id, or runs the job that makes it. Concurrent requests for one result wait
 * for one job, in all processes.
 *
 * @throws as runJob does
 */
export async function runJobOnce<Data, Made>(
  request: Requester,
  once: OnceJob<Data>,
  result: OnceResult<Made>,
): Promise<Made> {
  const made = await result.find();
  if (made !== null) return made;
  let flight = flights.get(once.jobId) as Promise<Made> | undefined;
  if (flight === undefined) {
    flight = askAgain(request, once, result).finally(() => flights.delete(once.jobId));
    flights.set(once.jobId, flight);
  }
  return flight;
}

/** Number of times that a result is asked for, each of which another process has taken. */
const MOST_ASKED = 5;

async function askAgain<Data, Made>(
  request: Requester,
  once: OnceJob<Data>,
  result: OnceResult<Made>,
): Promise<Made> {
  for (let asked = 0; asked < MOST_ASKED; asked += 1) {
    const made = await join(request, once, result);
    if (made !== null) return made;
  }
  throw noRoom();
}

/** @returns `null` where another process has taken what was handed over */
async function join<Data, Made>(
  request: Requester,
  { job, data, jobId, isLowPriority = false }: OnceJob<Data>,
  { find, read }: OnceResult<Made>,
): Promise<Made | null> {
  const { cache, producer, replies } = request.queues;
  const reply = replies.expect<HandedOver | undefined>(jobId, PATIENCE_MS);
  try {
    const options = { jobId, ...originOf(request), replyTo: EVERYBODY, isLowPriority };
    await producer.add(job, data, options);
    // An earlier job may have replied just before we listened, and ours was dropped because that one was not quite gone.
    const made = await find();
    if (made !== null) {
      reply.cancel();
      return made;
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
  // Every job is bounded to less than that: this one waited for other jobs, or for a worker.
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

/** The refusal that a worker replied with. */
export function refusalFrom(
  { code, message, retryAfterSeconds }: RefusalData,
  isReplayed = false,
): Refusal {
  return new Refusal(code, message, { isReplayed, retryAfterSeconds });
}

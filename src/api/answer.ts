import { config } from '../config.ts';
import { Refusal, type RefusalData } from '../errors.ts';
import { newId } from '../ids.ts';
import { Timeout } from '../infra/clock.ts';
import type { DataOf, QueueDefinition, ResultOf } from '../queues/queue.ts';
import { EVERYBODY, type Outcome } from '../queues/replies.ts';
import type { Answer, ApiRequest, RouteInput } from './route.ts';

/** Longest that a worker may take whom a request can't do without, in ms. */
const PATIENCE_MS = 15_000;

/** What is needed of a request to ask a worker. */
export type Asker = Pick<ApiRequest, 'queues' | 'caller' | 'requestId'>;

export const ok = (body: unknown): Answer => ({ status: 200, body });

/** 201 with the record and where it can be read. */
export const created = (location: string, body: unknown): Answer => ({
  status: 201,
  body,
  headers: { Location: location },
});

/**
 * Puts a write on its queue and waits for the worker. The answer says that the write is done; when the
 * client does not want to wait, or the worker takes longer than WRITE_WAIT_MS, it is 202 and the address of the job.
 *
 * @param finish makes the answer from the job's result
 * @throws Refusal when the worker refused, and Error when the job failed for good
 */
export async function answerWrite<Jobs, Name extends keyof Jobs & string>(
  request: ApiRequest<RouteInput>,
  queue: QueueDefinition<Jobs>,
  name: Name,
  data: DataOf<Jobs[Name]>,
  finish: (result: ResultOf<Jobs[Name]>) => Answer,
): Promise<Answer> {
  const { producer, replies } = request.queues;
  if (request.respondAsync) return answerAccepted(request, queue, name, data);
  const jobId = newId('job');
  const { projectId } = request.caller;
  const options = { jobId, projectId, requestId: request.requestId };
  const reply = replies.expect(jobId, config().WRITE_WAIT_MS);
  try {
    await producer.add(queue, name, data, { ...options, replyTo: replies.address });
  } catch (error) {
    reply.cancel();
    throw error;
  }
  const outcome = await reply.outcome;
  if (outcome === undefined) return accepted(jobId);
  if ('refused' in outcome) throw refusalFrom(outcome.refused);
  if ('fault' in outcome) throw new Error(`job ${jobId} failed`);
  return finish(outcome.result as ResultOf<Jobs[Name]>);
}

/** Puts a job on its queue that nobody waits for: 202 and the address of the job. */
export async function answerAccepted<Jobs, Name extends keyof Jobs & string>(
  { queues: { producer }, caller: { projectId }, requestId }: Asker,
  queue: QueueDefinition<Jobs>,
  name: Name,
  data: DataOf<Jobs[Name]>,
): Promise<Answer> {
  const jobId = newId('job');
  await producer.add(queue, name, data, { jobId, projectId, requestId });
  return accepted(jobId);
}

/**
 * Has a worker do something whose result no client asks for later, and waits for it.
 *
 * @throws Refusal when the worker refused, and Error when it failed or took longer than PATIENCE_MS
 */
export async function askWorker<Jobs, Name extends keyof Jobs & string>(
  { queues: { producer, replies }, caller: { projectId }, requestId }: Asker,
  queue: QueueDefinition<Jobs>,
  name: Name,
  data: DataOf<Jobs[Name]>,
): Promise<ResultOf<Jobs[Name]>> {
  const jobId = newId('job');
  const reply = replies.expect<ResultOf<Jobs[Name]>>(jobId, PATIENCE_MS);
  try {
    const options = { jobId, projectId, requestId, replyTo: replies.address };
    await producer.add(queue, name, data, options);
  } catch (error) {
    reply.cancel();
    throw error;
  }
  return resultOf(name, jobId, await reply.outcome);
}

/** What this process waits for that others may wait for too, by job. */
const flights = new Map<string, Promise<unknown>>();

/**
 * Has a worker make something that it leaves behind under the job's id, unless that is there: whoever asks for the
 * same at the same time waits for the same job, in whichever processes they are.
 *
 * @param find what was left, `null` where nothing was
 * @throws as askWorker does
 */
export async function askOnce<Jobs, Name extends keyof Jobs & string, Made>(
  request: Asker,
  job: {
    queue: QueueDefinition<Jobs>;
    name: Name;
    data: DataOf<Jobs[Name]>;
    jobId: string;
    isLowPriority?: boolean;
  },
  find: () => Promise<Made | null>,
): Promise<Made> {
  const made = await find();
  if (made !== null) return made;
  let flight = flights.get(job.jobId) as Promise<Made> | undefined;
  if (flight === undefined) {
    flight = join(request, job, find).finally(() => flights.delete(job.jobId));
    flights.set(job.jobId, flight);
  }
  return flight;
}

async function join<Jobs, Name extends keyof Jobs & string, Made>(
  { queues: { producer, replies }, caller: { projectId }, requestId }: Asker,
  {
    queue,
    name,
    data,
    jobId,
    isLowPriority = false,
  }: Parameters<typeof askOnce<Jobs, Name, Made>>[1],
  find: () => Promise<Made | null>,
): Promise<Made> {
  const reply = replies.expect(jobId, PATIENCE_MS);
  try {
    const options = { jobId, projectId, requestId, replyTo: EVERYBODY, isLowPriority };
    await producer.add(queue, name, data, options);
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
  resultOf(name, jobId, await reply.outcome);
  const made = await find();
  if (made === null) throw new Error(`job ${jobId} has ended, and left nothing`);
  return made;
}

function resultOf<Result>(
  name: string,
  jobId: string,
  outcome: Outcome<Result> | undefined,
): Result {
  if (outcome === undefined) throw new Timeout(`${name} took longer than ${PATIENCE_MS} ms`);
  if ('refused' in outcome) throw refusalFrom(outcome.refused);
  if ('fault' in outcome) throw new Error(`job ${jobId} failed`);
  return outcome.result;
}

function accepted(jobId: string): Answer {
  return {
    status: 202,
    body: { id: jobId, status: 'queued' },
    headers: { Location: `/jobs/${jobId}` },
  };
}

function refusalFrom({ code, message }: RefusalData): Refusal {
  return new Refusal(code, message);
}

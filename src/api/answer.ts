import { config } from '../config.ts';
import { Refusal, type RefusalData } from '../errors.ts';
import { newId } from '../ids.ts';
import { Timeout } from '../infra/clock.ts';
import type { DataOf, QueueDefinition, ResultOf } from '../queues/queue.ts';
import { EVERYBODY } from '../queues/replies.ts';
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
 * @param jobId of a job that others may wait for too; absent: one of its own
 * @throws Refusal when the worker refused, and Error when it failed or took longer than PATIENCE_MS
 */
export async function askWorker<Jobs, Name extends keyof Jobs & string>(
  { queues: { producer, replies }, caller, requestId }: Asker,
  queue: QueueDefinition<Jobs>,
  name: Name,
  data: DataOf<Jobs[Name]>,
  jobId?: string,
): Promise<ResultOf<Jobs[Name]>> {
  const id = jobId ?? newId('job');
  const { projectId } = caller;
  const reply = replies.expect(id, PATIENCE_MS);
  const replyTo = jobId === undefined ? replies.address : EVERYBODY;
  try {
    await producer.add(queue, name, data, { jobId: id, projectId, requestId, replyTo });
  } catch (error) {
    reply.cancel();
    throw error;
  }
  const outcome = await reply.outcome;
  if (outcome === undefined) throw new Timeout(`${name} took longer than ${PATIENCE_MS} ms`);
  if ('refused' in outcome) throw refusalFrom(outcome.refused);
  if ('fault' in outcome) throw new Error(`job ${id} failed`);
  return outcome.result as ResultOf<Jobs[Name]>;
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

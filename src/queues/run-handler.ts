import type { Job as BullJob } from 'bullmq';
import { Refusal } from '../errors.ts';
import type { Log } from '../infra/log.ts';
import { jobSeconds } from '../infra/metrics.ts';
import type { Redis } from '../infra/redis.ts';
import { withinSpan } from '../infra/tracing.ts';
import { type Envelope, furtherFields, jobSpan, keyOf, serverOf } from './bull-queues.ts';
import type { QueueDefinition, QueueId } from './definition.ts';
import type { JobHandler } from './job.ts';
import { type Outcome, reply } from './replies.ts';

/** A queue that a worker serves. */
export interface Serving {
  queue: QueueDefinition;
  /** The queue itself or one of its shards. */
  place: QueueId;
  handlers: ReadonlyMap<string, JobHandler>;
  redis: Redis;
  log: Log;
}

/**
 * Runs the handler of a job and sends its outcome to the process that waits for it.
 *
 * @throws whatever the handler throws, unless it is a Refusal, which is a result
 */
export async function runHandler(
  job: BullJob,
  { queue, place, handlers, redis, log }: Serving,
): Promise<void> {
  const { data, projectId, requestId, actor, replyTo, keyed, ifMatch, acceptedAt, trace } =
    job.data as Envelope;
  const { name, attemptsStarted: starts } = job;
  const jobId = job.id ?? '';
  const jobLog = log.child({ queue: queue.name, job: name, jobId, projectId, requestId });
  const handler = handlers.get(name);
  if (handler === undefined) throw new Error(`no handler for job "${name}"`);
  const further = handler.job.isExtensible
    ? Object.values(furtherFields(await serverOf(redis, place).hgetall(keyOf(place, jobId))))
    : [];
  const stop = jobSeconds.startTimer({ queue: queue.name, job_name: name });
  const span = jobSpan('consumer', 'process', { queue, name, jobId, parent: trace });
  let outcome: Outcome;
  try {
    const context = {
      jobId,
      shard: place.shard,
      projectId,
      task: { name, data, audit: handler.job.audit },
      actor,
      isRepeat: job.attemptsMade > 0 || starts > 1,
      starts,
      isLastAttempt: job.attemptsMade + 1 >= (job.opts.attempts ?? queue.attempts),
      keyed,
      ifMatch,
      acceptedAt,
      further: further.map((text): unknown => JSON.parse(text)),
      log: jobLog,
    };
    const result = await withinSpan(span, () => handler.run(data, context));
    span?.end();
    outcome = { result };
    jobLog.debug({ seconds: stop({ outcome: 'done' }) }, 'job done');
  } catch (error) {
    span?.end({ isFailed: !(error instanceof Refusal) });
    if (!(error instanceof Refusal)) {
      stop({ outcome: 'fault' });
      throw error;
    }
    const refused = error.toJSON();
    outcome = { refused };
    jobLog.debug({ seconds: stop({ outcome: 'refused' }), refused }, 'job refused');
  }
  if (replyTo !== undefined) await reply(redis, replyTo, jobId, outcome);
}

import { newId } from '../ids.ts';
import type { Redis } from '../infra/redis.ts';
import { replicated } from '../infra/replicas.ts';
import { serverOf } from './bull-queues.ts';
import type { QueueId } from './definition.ts';
import type { Job } from './job.ts';
import { Producer } from './producer.ts';

/**
 * Adds jobs to queues.
 *
 * A BullMQ queue asks Redis for its version once, and never works again if that fails. So the next
 * job after a failure gets a new queue.
 */
export class JobSender {
  readonly #redis: Redis;
  #producer: Producer | undefined;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /**
   * Runs `write`, which adds jobs to a queue, and resolves once REDIS_WAIT_REPLICAS replicas have
   * them.
   */
  replicated<Result>(queue: QueueId, write: () => Promise<Result>): Promise<Result> {
    return replicated(serverOf(this.#redis, queue), write);
  }

  /** Adds a job. @param options.delayMs time until it can run @returns its id */
  async add<Data>(
    job: Job<Data, unknown>,
    data: NoInfer<Data>,
    options: { shard?: QueueId; delayMs?: number } = {},
  ): Promise<string> {
    const jobId = newId('job');
    await this.#use((producer) => producer.add(job, data, { jobId, projectId: '', ...options }));
    return jobId;
  }

  /** See {@link Producer.extend}. */
  extend<Data>(
    job: Job<Data, unknown>,
    shard: QueueId,
    jobId: string,
    part: number,
    data: NoInfer<Data>,
  ): Promise<boolean> {
    return this.#use((producer) => producer.extend(job, shard, jobId, part, data));
  }

  async #use<Result>(act: (producer: Producer) => Promise<Result>): Promise<Result> {
    this.#producer ??= new Producer(this.#redis);
    const used = this.#producer;
    try {
      return await act(used);
    } catch (error) {
      if (this.#producer === used) {
        this.#producer = undefined;
        used.close().catch(() => {});
      }
      throw error;
    }
  }
}

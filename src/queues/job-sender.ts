import { newId } from '../ids.ts';
import type { Redis, SingleRedis } from '../infra/redis.ts';
import { replicated } from '../infra/replicas.ts';
import { FURTHER, keyOf, serverOf } from './bull-queues.ts';
import type { QueueId } from './definition.ts';
import type { Job } from './job.ts';
import { Producer } from './producer.ts';

/*
 * KEYS[1] job   ARGV[1] field   ARGV[2] value
 * A worker that takes a job writes `processedOn` in the same step, and reads the fields after it.
 * Returns 1: the job waits, and has the field; 0: it has been taken before, or does not exist.
 */
const EXTEND = `
local job = redis.call('HMGET', KEYS[1], 'timestamp', 'processedOn')
if not job[1] or job[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1`;

interface WithExtend {
  extendJob(key: string, field: string, value: string): Promise<number>;
}

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

  /**
   * Adds a job.
   *
   * @param options.jobId id of a job that may have been added before; absent: a new one
   * @param options.delayMs time until it can run
   * @returns its id
   */
  async add<Data>(
    job: Job<Data, unknown>,
    data: NoInfer<Data>,
    options: { jobId?: string; shard?: QueueId; delayMs?: number } = {},
  ): Promise<string> {
    const { jobId = newId('job') } = options;
    this.#producer ??= new Producer(this.#redis);
    const used = this.#producer;
    try {
      await used.add(job, data, { ...options, jobId, projectId: '' });
    } catch (error) {
      if (this.#producer === used) {
        this.#producer = undefined;
        used.close().catch(() => {});
      }
      throw error;
    }
    return jobId;
  }

  /**
   * Adds data to a waiting job, which is much cheaper than another job. Resolves once Redis has
   * acknowledged it.
   *
   * @param shard the queue that has the job
   * @param part unique among the extensions of the job
   * @returns false if a worker has taken the job already, so that the data needs another one
   * @throws Error for a job that is not extensible
   */
  async extend<Data>(
    { name, isExtensible = false }: Job<Data, unknown>,
    shard: QueueId,
    jobId: string,
    part: number,
    data: NoInfer<Data>,
  ): Promise<boolean> {
    if (!isExtensible) throw new Error(`jobs "${name}" cannot be extended`);
    const server = serverOf(this.#redis, shard);
    if (!('extendJob' in server)) {
      server.defineCommand('extendJob', { numberOfKeys: 1, lua: EXTEND });
    }
    const isExtended = await (server as SingleRedis & WithExtend).extendJob(
      keyOf(shard, jobId),
      `${FURTHER}${part}`,
      JSON.stringify(data),
    );
    return isExtended === 1;
  }
}

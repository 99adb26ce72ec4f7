import { expect } from 'chai';
import { newId } from '../../src/ids.ts';
import type { Redis } from '../../src/infra/redis.ts';
import { currency } from '../../src/queues/index.ts';
import { Inspector } from '../../src/queues/inspect.ts';
import { job, jobsOf } from '../../src/queues/job.ts';
import { Producer } from '../../src/queues/producer.ts';
import { eventually } from './eventually.ts';

/** A job without a handler in its worker, which fails for good at once. */
export const { 'nobody.does': broken } = jobsOf(currency, {
  'nobody.does': job<object>({ attempts: 1 }),
});

/** Adds jobs that fail for good. */
export class FailedJobs {
  readonly #producer: Producer;
  readonly #inspector: Inspector;

  constructor(redis: Redis) {
    this.#producer = new Producer(redis);
    this.#inspector = new Inspector(redis);
  }

  /** @returns the id of its dead letter */
  async add(projectId: string): Promise<string> {
    const jobId = newId('job');
    const origin = { jobId, projectId, requestId: 'asked' };
    await this.#producer.add(broken, { n: 1 }, origin);
    await eventually(async () => {
      expect(await this.#inspector.findFailed(currency, jobId)).not.to.equal(undefined);
    });
    return `currency:${jobId}`;
  }

  async close(): Promise<void> {
    await this.#producer.close();
    await this.#inspector.close();
  }
}

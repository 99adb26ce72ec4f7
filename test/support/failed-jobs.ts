import { expect } from 'chai';
import { newId } from '../../src/ids.ts';
import type { Redis } from '../../src/infra/redis.ts';
import { defineQueue, type Job } from '../../src/queues/definition.ts';
import { Inspector } from '../../src/queues/inspect.ts';
import { Producer } from '../../src/queues/producer.ts';
import { eventually } from './eventually.ts';

/** The queue of currencies with a job that its worker has no function for: it fails for good at once. */
const broken = defineQueue<{ 'nobody.does': Job<{ n: number }, undefined> }>('currency', {
  attempts: 1,
});

/** Makes jobs that fail for good. */
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
    await this.#producer.add(broken, 'nobody.does', { n: 1 }, origin);
    await eventually(async () => {
      expect(await this.#inspector.findFailed(broken, jobId)).not.to.equal(undefined);
    });
    return `currency:${jobId}`;
  }

  async close(): Promise<void> {
    await this.#producer.close();
    await this.#inspector.close();
  }
}

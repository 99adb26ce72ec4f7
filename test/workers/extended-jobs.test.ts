import { expect } from 'chai';
import { config } from '../../src/config.ts';
import { newId } from '../../src/ids.ts';
import { makeLog } from '../../src/infra/log.ts';
import { connectRedis, type Redis, redisReady } from '../../src/infra/redis.ts';
import { serverOf } from '../../src/queues/bull-queues.ts';
import { defineQueue } from '../../src/queues/definition.ts';
import { Inspector, type StoredJob } from '../../src/queues/inspect.ts';
import { handlers, job, jobsOf } from '../../src/queues/job.ts';
import { JobSender } from '../../src/queues/job-sender.ts';
import { Producer } from '../../src/queues/producer.ts';
import { type RunningWorker, serve } from '../../src/queues/worker.ts';
import { eventually } from '../support/eventually.ts';
import { keysOf } from '../support/keys.ts';
// Starts the servers of the tests.
import '../support/servers.ts';

const log = makeLog('test', 'silent');

describe('a job that is extended while it waits', () => {
  let redis: Redis;
  let producer: Producer;
  let inspector: Inspector;
  let worker: RunningWorker | undefined;
  /** Data of each run. */
  let runs: unknown[][];
  const queue = defineQueue(`extended-${newId('job').slice(-8)}`, {
    attempts: 3,
    maxPauseMs: 50,
  });
  const jobs = jobsOf(queue, { work: job<number>({ isExtensible: true }) });

  beforeEach(async () => {
    redis = connectRedis(config().REDIS_URL, 'wait');
    await redisReady(redis);
    producer = new Producer(redis);
    inspector = new Inspector(redis);
    worker = undefined;
    runs = [];
  });

  afterEach(async () => {
    await worker?.close();
    await inspector.clear(queue);
    await producer.close();
    await inspector.close();
    redis.disconnect();
  });

  const add = (jobId: string, delayMs = 0) =>
    producer.add(jobs.work, 0, { jobId, projectId: '', delayMs });
  const extend = (jobId: string, part: number) =>
    new JobSender(redis).extend(jobs.work, queue, jobId, part, part);
  /** Starts a worker that records its data and calls `act` in each run. */
  const start = (act: (run: number) => Promise<void> = async () => {}) => {
    const counting = handlers(jobs, {
      async work(data, { further = [] }) {
        const rest = (further as number[]).toSorted((a, b) => a - b);
        const run = runs.push([data, ...rest]);
        await act(run);
      },
    });
    worker = serve(queue, counting, { redis, log, concurrency: 2 });
  };

  it('is run with all that was acknowledged, and not extended once a worker has it', async () => {
    await add('one', 100);
    expect([await extend('one', 1), await extend('one', 2)]).to.deep.equal([true, true]);
    // A repeated extension changes nothing.
    expect(await extend('one', 2)).to.equal(true);
    let end: () => void = () => {};
    start(() => new Promise((resolve) => (end = resolve)));
    await eventually(async () => expect(runs).to.deep.equal([[0, 1, 2]]));
    expect(await extend('one', 3)).to.equal(false);
    end();
    await eventually(async () =>
      expect(await keysOf(serverOf(redis, queue), `*${queue.name}:one*`)).to.deep.equal([]),
    );
    expect(await extend('one', 4)).to.equal(false);
    expect(runs).to.have.length(1);
  });

  it('has no gap between its last extension and its run', async () => {
    start();
    const extended = new Set<number>();
    for (let part = 1; part <= 500; part += 1) {
      const jobId = `job-${Math.ceil(part / 25)}`;
      if (part % 25 === 1) await add(jobId, 10);
      if (await extend(jobId, part)) extended.add(part);
    }
    await eventually(async () => expect(runs).to.have.length(20));
    const seen = runs.flat().filter((data) => data !== 0);
    expect(seen).to.have.members(Array.from(extended));
  });

  it('is tried again with the same', async () => {
    await add('one');
    await extend('one', 1);
    start(async (run) => {
      if (run === 1) throw new Error('the first run fails');
    });
    const run = [0, 1];
    await eventually(async () => expect(runs).to.deep.equal([run, run]));
  });

  it('is restored with the same', async () => {
    await add('one');
    await extend('one', 1);
    const jobs: StoredJob[] = [];
    for await (const job of inspector.storedJobs(queue)) jobs.push(job);
    await inspector.clear(queue);
    await inspector.restoreJobs(queue, jobs);
    start();
    await eventually(async () => expect(runs).to.deep.equal([[0, 1]]));
  });
});

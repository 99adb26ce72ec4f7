import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { config } from '../../src/config.ts';
import { newId } from '../../src/ids.ts';
import { makeLog } from '../../src/infra/log.ts';
import { connectRedis, type Redis, redisReady } from '../../src/infra/redis.ts';
import { serverOf } from '../../src/queues/bull-queues.ts';
import { defineQueue, Postponed, type QueueDefinition } from '../../src/queues/definition.ts';
import { Inspector } from '../../src/queues/inspect.ts';
import { handlers, job, jobsOf } from '../../src/queues/job.ts';
import { Producer } from '../../src/queues/producer.ts';
import { CALL_MS, Slots } from '../../src/queues/slots.ts';
import { type RunningWorker, serve } from '../../src/queues/worker.ts';
import { eventually } from '../support/eventually.ts';
import { keysOf } from '../support/keys.ts';
// Starts the servers of the tests.
import '../support/stack.ts';

const log = makeLog('test', 'silent');
const SLOTS = 12;

describe('the slots of a worker', () => {
  let redis: Redis;
  let producer: Producer;
  let inspector: Inspector;
  let worker: RunningWorker;
  let queue: QueueDefinition;
  let jobs: ReturnType<typeof workOf>;
  /** Jobs that have started, in order. */
  let begun: { tenant: string; n: number }[];
  /** Functions that end the running jobs. */
  let ends: Map<string, () => void>;
  let isOver: boolean;

  const aQueue = (attempts: number) => defineQueue(`slots-${newId('job').slice(-8)}`, { attempts });
  const workOf = (own: QueueDefinition) =>
    jobsOf(own, { work: job<{ n: number; hangs: boolean }>() });

  beforeEach(async () => {
    redis = connectRedis(config().REDIS_URL, 'wait');
    await redisReady(redis);
    producer = new Producer(redis);
    inspector = new Inspector(redis);
    queue = aQueue(3);
    jobs = workOf(queue);
    begun = [];
    ends = new Map();
    isOver = false;
    start(SLOTS);
  });

  function start(concurrency: number): void {
    const hanging = handlers(jobs, {
      async work({ n, hangs }, { projectId }) {
        begun.push({ tenant: projectId, n });
        if (hangs && !isOver) {
          await new Promise<void>((resolve) => {
            ends.set(`${projectId} ${n}`, resolve);
          });
        }
      },
    });
    worker = serve(queue, hanging, { redis, log, concurrency });
  }

  async function removeQueue(definition: QueueDefinition): Promise<void> {
    const server = serverOf(redis, definition);
    const keys = await keysOf(server, `{q-${definition.name}}*`);
    if (keys.length > 0) await server.del(...keys);
  }

  afterEach(async () => {
    isOver = true;
    for (const end of ends.values()) end();
    await worker.close();
    await producer.close();
    await inspector.close();
    await removeQueue(queue);
    redis.disconnect();
  });

  const add = (projectId: string, n: number, hangs: boolean) =>
    producer.add(jobs.work, { n, hangs }, { jobId: `${projectId}-${n}`, projectId });
  const addMany = async (projectId: string, count: number, hangs: boolean) => {
    for (let n = 0; n < count; n += 1) await add(projectId, n, hangs);
  };
  const begunOf = (tenant: string) =>
    begun.filter((one) => one.tenant === tenant).map(({ n }) => n);

  it('are limited to a third for one workspace, whose further jobs wait in order while others run', async () => {
    await addMany('hostile', 40, true);
    await eventually(() => expect(begunOf('hostile')).to.have.length(SLOTS / 3));
    await eventually(async () =>
      expect(await inspector.depth(queue)).to.include({ waiting: 0, delayed: 36 }),
    );

    await add('regular', 0, false);
    await eventually(() => expect(begunOf('regular')).to.deep.equal([0]));
    expect(begunOf('hostile')).to.have.length(SLOTS / 3);

    for (let n = 0; n < 40; n += 1) {
      await eventually(() => expect([...ends.keys()]).to.include(`hostile ${n}`));
      ends.get(`hostile ${n}`)!();
    }
    const order = begunOf('hostile');
    expect(order.toSorted((a, b) => a - b)).to.deep.equal([...order.keys()]);
    for (const [at, n] of order.entries()) expect(Math.abs(at - n)).to.be.at.most(SLOTS / 3);
    await eventually(async () =>
      expect(await inspector.depth(queue)).to.include({ active: 0, delayed: 0, failed: 0 }),
    );
  });

  it('are released by jobs with fewer attempts than others of the queue, while a postponed one is retried', async () => {
    const tried: Record<string, number> = { often: 0, once: 0, postponed: 0 };
    const mixed = aQueue(1_000_000);
    const kinds = jobsOf(mixed, {
      often: job<object>(),
      once: job<object>({ attempts: 1 }),
      postponed: job<object>({ attempts: 1 }),
    });
    const fail = (name: string, error: Error) => async (): Promise<void> => {
      tried[name]! += 1;
      if (tried[name]! < 3) throw error;
    };
    const failing = handlers(kinds, {
      often: fail('often', new Error('fault')),
      once: fail('once', new Error('fault')),
      postponed: fail('postponed', new Postponed('busy')),
    });
    const own = serve(mixed, failing, { redis, log, concurrency: SLOTS });
    try {
      for (const name of ['often', 'once', 'postponed'] as const) {
        await producer.add(kinds[name], {}, { jobId: name, projectId: 'proj_1' });
      }
      await eventually(() => expect(tried).to.deep.equal({ often: 3, once: 1, postponed: 3 }));
      await eventually(async () =>
        expect(await inspector.depth(mixed)).to.include({ active: 0, delayed: 0, failed: 1 }),
      );
      expect((await inspector.stateOf(mixed, 'once'))?.status).to.equal('failed');
    } finally {
      await own.close();
      await removeQueue(mixed);
    }
  });

  it('are never all taken by ten workspaces whose jobs hang', async () => {
    await worker.close();
    start(500);
    const tenants = Array.from({ length: 10 }, (_, n) => `hostile${n}`);
    await Promise.all(tenants.map((tenant) => addMany(tenant, 170, true)));
    await eventually(async () => expect((await inspector.depth(queue))['waiting']).to.equal(0));
    expect(begun.length).to.be.lessThan(500);

    await add('regular', 0, false);

    await eventually(() => expect(begunOf('regular')).to.deep.equal([0]));
  });

  it('go to a workspace with one job before the thousandth of another, and every job runs once', async () => {
    await addMany('hostile', SLOTS, true);
    await addMany('flood', 1_000, false);
    await add('regular', 0, false);
    await eventually(() => expect(begunOf('regular')).to.deep.equal([0]));
    await eventually(() => expect(begunOf('flood')).to.have.length(1_000));
    expect(new Set(begunOf('flood')).size).to.equal(1_000);
  });

  it('go to a held job of a workspace before its parked ones', () => {
    const slots = new Slots(6);
    for (const jobId of ['1', '2']) expect(slots.enter('a', jobId, false)).to.equal(true);
    const ends: [string, boolean][] = [];
    for (const jobId of ['3', '4', '5', '6']) {
      expect(slots.enter('a', jobId, false)).to.equal(false);
      slots.hold(jobId, (isStarted) => ends.push([jobId, isStarted]));
    }
    // One slot remains for jobs that come later.
    expect(ends).to.deep.equal([['6', false]]);
    expect(slots.park('a', '6')).to.deep.equal([]);
    for (const jobId of ['3', '4', '5']) {
      expect(slots.leave('a')).to.deep.equal([]);
      expect(ends.at(-1)).to.deep.equal([jobId, true]);
    }
    expect(slots.leave('a')).to.deep.equal(['6']);
  });

  it('go to jobs of another workspace, for which held jobs go back to Redis', () => {
    const slots = new Slots(6);
    for (const jobId of ['1', '2']) expect(slots.enter('a', jobId, false)).to.equal(true);
    const ends: [string, boolean][] = [];
    for (const jobId of ['3', '4', '5']) {
      expect(slots.enter('a', jobId, false)).to.equal(false);
      slots.hold(jobId, (isStarted) => ends.push([jobId, isStarted]));
    }
    expect(slots.enter('b', '6', false)).to.equal(true);
    expect(ends).to.deep.equal([['5', false]]);
    expect(slots.enter('c', '7', false)).to.equal(true);
    expect(ends.at(-1)).to.deep.equal(['4', false]);
    slots.endHold('3');
    expect(ends.at(-1)).to.deep.equal(['3', false]);
  });

  it('are left free by held jobs to a quarter, and by none once the worker closes', () => {
    const slots = new Slots(12);
    const ends: [string, boolean][] = [];
    const hold = (jobId: string) => {
      expect(slots.enter('a', jobId, false)).to.equal(false);
      slots.hold(jobId, (isStarted) => ends.push([jobId, isStarted]));
    };
    for (const jobId of ['1', '2', '3', '4']) {
      expect(slots.enter('a', jobId, false)).to.equal(true);
    }
    for (const jobId of ['5', '6', '7', '8', '9', '10']) hold(jobId);
    expect(ends).to.deep.equal([['10', false]]);
    // A job that the process gets a second time is held once.
    slots.hold('9', (isStarted) => ends.push(['9 again', isStarted]));
    expect(ends.at(-1)).to.deep.equal(['9', false]);
    slots.close();
    expect(ends.slice(2).map(([, isStarted]) => isStarted)).to.deep.equal(Array(5).fill(false));
    hold('11');
    expect(ends.at(-1)).to.deep.equal(['11', false]);
  });

  it('go to the next job of a workspace when one could not be put back into Redis', () => {
    const slots = new Slots(3);
    expect(slots.enter('a', '1', false)).to.equal(true);
    expect(slots.enter('a', '2', false)).to.equal(false);
    expect(slots.enter('a', '3', false)).to.equal(false);
    expect(slots.park('a', '3')).to.deep.equal([]);
    expect(slots.drop('a', '2')).to.deep.equal([]);
    expect(slots.leave('a')).to.deep.equal(['3']);
  });

  it('go to the next job of a workspace when another process took the one before', () => {
    let now = 0;
    const slots = new Slots(3, () => now);
    expect(slots.enter('a', '1', false)).to.equal(true);
    for (const jobId of ['2', '3']) {
      expect(slots.enter('a', jobId, false)).to.equal(false);
      expect(slots.park('a', jobId)).to.deep.equal([]);
    }
    expect(slots.leave('a')).to.deep.equal(['2']);
    expect(slots.callAgain()).to.deep.equal([]);
    now += CALL_MS;
    expect(slots.callAgain()).to.deep.equal(['3']);
  });

  describe('of two processes', () => {
    const JOB_MS = 20;
    const CLIENTS = 30;
    /** Callbacks of completed jobs, by workspace and number. */
    let done: Map<string, () => void>;
    let workers: RunningWorker[];

    beforeEach(async () => {
      await worker.close();
      done = new Map();
      const quick = handlers(jobs, {
        async work({ n }, { projectId }) {
          await sleep(JOB_MS);
          begun.push({ tenant: projectId, n });
          done.get(`${projectId} ${n}`)?.();
        },
      });
      const means = { redis, log, concurrency: 24 };
      workers = [serve(queue, quick, means), serve(queue, quick, means)];
    });

    afterEach(() => Promise.all(workers.map((one) => one.close())));

    /**
     * Adds a job and waits for its end.
     * @returns the time it took, in ms
     */
    async function timed(tenant: string, n: number): Promise<number> {
      const began = performance.now();
      const ended = new Promise<void>((resolve) => done.set(`${tenant} ${n}`, resolve));
      await add(tenant, n, false);
      await ended;
      return performance.now() - began;
    }

    it('execute two hundred jobs of one workspace in seconds, each once', async () => {
      await addMany('busy', 200, false);
      await eventually(() => expect(begunOf('busy')).to.have.length(200));
      expect(new Set(begunOf('busy')).size).to.equal(200);
    });

    it('serve clients that each wait for their job, and another workspace beside them', async () => {
      const until = performance.now() + 4_000;
      const [took, besides]: [number[], number[]] = [[], []];
      let n = 0;
      const client = async () => {
        while (performance.now() < until) took.push(await timed('busy', (n += 1)));
      };
      const other = async () => {
        while (performance.now() < until) besides.push(await timed('other', (n += 1)));
      };
      await Promise.all([...Array.from({ length: CLIENTS }, client), other()]);
      const p99 = (times: number[]) =>
        times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)]!;
      expect(took.length).to.be.greaterThan(100);
      expect(p99(took)).to.be.lessThan(10_000);
      expect(p99(besides)).to.be.lessThan(5_000);
    });
  });
});

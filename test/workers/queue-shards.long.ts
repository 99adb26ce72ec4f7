import { expect } from 'chai';
import { makeLog } from '../../src/infra/log.ts';
import { connectRedis, type Redis } from '../../src/infra/redis.ts';
import { slotOf } from '../../src/infra/redis-topology.ts';
import { defineQueue } from '../../src/queues/definition.ts';
import { clicks } from '../../src/queues/index.ts';
import { Inspector } from '../../src/queues/inspect.ts';
import { handlers, job, jobsOf } from '../../src/queues/job.ts';
import { Producer } from '../../src/queues/producer.ts';
import { MAX_SHARDS, tagOf } from '../../src/queues/shards.ts';
import { serve } from '../../src/queues/worker.ts';
import { deliveryJobs } from '../../src/webhooks/jobs.ts';
import { visitsAddUp } from '../support/adding-up.ts';
import { eventually } from '../support/eventually.ts';
import { OwnService } from '../support/own-service.ts';
import { Receiver } from '../support/receiver.ts';
import { Visitors } from '../support/traffic.ts';
// Starts the servers of the tests.
import '../support/servers.ts';

const KEYS = Array.from({ length: 12 }, (_, n) => `key-${n}`);
const WEBHOOKS = 6;
const VISITS_PER_SECOND = 200;
/** Response time of a slow receiver, in ms. */
const SLOW_MS = 200;
const SLOTS = 16_384;

describe('QUEUE_SHARDS', function () {
  const own = new OwnService();
  let receiver: Receiver;
  const webhookIds: string[] = [];
  let redis: Redis;
  let producer: Producer;
  let inspector: Inspector;

  before(async () => {
    receiver = await Receiver.start();
    await own.start({ QUEUE_SHARDS: '4', OUTBOUND_ALLOW: '127.0.0.1' }, 'Procfile.small');
    redis = connectRedis(own.redisUrl, 'wait');
    producer = new Producer(redis);
    inspector = new Inspector(redis);
    for (let n = 0; n < WEBHOOKS; n += 1) {
      const webhook = { name: `${n}`, url: receiver.url, kinds: ['link.clicked'] };
      webhookIds.push((await own.post('/webhooks', webhook)).id);
    }
    for (const [n, key] of KEYS.entries()) {
      const named = [webhookIds[n % WEBHOOKS]];
      await own.post('/links', { url: 'https://example.com/a', key, webhookIds: named });
    }
  });

  after(async () => {
    await producer.close();
    await inspector.close();
    redis.disconnect();
    await own.stop();
    await receiver.stop();
  });

  let answered = 0;
  const visit = async (name: string, least: number) => {
    const visitors = new Visitors(name, own.service.redirectPorts, KEYS, VISITS_PER_SECOND);
    await eventually(() => expect(visitors.tally.answered.size).to.be.above(least));
    const tally = await visitors.stop();
    expect([...tally.others], 'answers other than redirects').to.deep.equal([]);
    expect([...tally.cut], 'answers cut off').to.deep.equal([]);
    answered += tally.answered.size;
    return tally;
  };
  /** Counts the jobs that ended in a shard, or without a number in the queue itself. */
  const ended = async (name: string, shard?: number): Promise<number> => {
    const queue = shard === undefined ? { name } : { name: `${name}-${shard}`, shard };
    const count = await redis.hget(`${tagOf(queue)}:${queue.name}:metrics:completed`, 'count');
    return Number(count ?? 0);
  };
  const endedIn = (name: string) => Promise.all([1, 2, 3, 4].map((shard) => ended(name, shard)));
  /** Lists the queues of visits that have jobs. */
  const filled = async (): Promise<string[]> => {
    const depths = [...(await inspector.depths(clicks))];
    return depths.flatMap(([name, counts]) =>
      Object.values(counts).some((count) => count > 0) ? [name] : [],
    );
  };
  /** Expects all visits so far to have reached the webhook of their link, once each. */
  const delivered = async (): Promise<void> => {
    const ids = () => receiver.received.map(({ body }) => body.data.click.id);
    await eventually(() => expect(new Set(ids())).to.have.length(answered));
    // Deliveries that are pending when Postgres stops would be sent again.
    await eventually(async () => {
      const pending = await own.db('webhook_deliveries').where({ state: 'pending' });
      expect(pending).to.have.length(0);
    });
    expect(ids()).to.have.length(answered);
  };
  /**
   * Changes QUEUE_SHARDS while visits wait for Postgres in the queue, and expects the new processes
   * to store them.
   */
  const changeWhileFilled = async (name: string, shards: number, places: readonly string[]) => {
    // New or reconnected processes look up links, which needs Postgres.
    await visitsAddUp(own, `${name} before`, await visit(`${name} before`, 50));
    await delivered();
    await own.stopPostgres();
    const visits = await visit(name, 200);
    expect(await filled()).to.deep.equal(places);
    await own.service.runner.stop();
    expect(await filled()).to.deep.equal(places);
    await own.startPostgres();
    await own.startAgain({ QUEUE_SHARDS: String(shards) }, 'Procfile.small');
    await visitsAddUp(own, name, visits);
    await delivered();
    expect(await filled()).to.deep.equal([]);
  };

  it('spreads visits and webhooks over four queues, each visit stored and delivered once', async () => {
    await visitsAddUp(own, 'spread', await visit('spread', 400));
    // A busy machine puts more visits into a job, so the number of jobs varies, but not their
    // distribution.
    const jobs = await endedIn('clicks');
    expect(Math.min(...jobs)).to.be.above(Math.max(...jobs) / 3);
    expect(await ended('clicks')).to.equal(0);
    await delivered();
    // A job ends after the last of its deliveries.
    await eventually(async () => {
      const used = (await endedIn('webhooks')).filter((count) => count > 0);
      expect(used).to.have.length.above(1);
    });
  });

  it('sends each delivery once while processes with another number add jobs of the same webhooks', async () => {
    receiver.answer = (_, response) => setTimeout(() => response.writeHead(204).end(), SLOW_MS);
    // QUEUE_SHARDS of this process is 1.
    const wakeAll = () =>
      Promise.all(
        webhookIds.map((webhookId) =>
          producer.wake(
            deliveryJobs['webhook.send'],
            { webhookId },
            { subject: webhookId, projectId: own.projectId },
          ),
        ),
      );
    const timer = setInterval(() => void wakeAll(), SLOW_MS / 4);
    await visitsAddUp(own, 'others', await visit('others', 200));
    await delivered();
    clearInterval(timer);
    receiver.accept();
    expect(await ended('webhooks')).to.be.above(WEBHOOKS);
  });

  it('loses no visit that was spooled while Redis was away', async () => {
    await own.stopRedis();
    const visits = await visit('spooled', 200);
    await own.startRedis();
    await visitsAddUp(own, 'spooled', visits);
    await delivered();
  });

  it('counts the jobs of all shards, and shows the depth of each', async () => {
    const sum = [await ended('clicks'), ...(await endedIn('clicks'))].reduce((a, b) => a + b, 0);
    expect(sum).to.be.above(0);
    expect(await inspector.activity(clicks)).to.include({ completedLastHour: sum, workers: 1 });
    await eventually(async () => {
      const healthUrl = own.service.runner.healthUrlOf('worker_all');
      const metrics = await (await fetch(`${healthUrl}/metrics`)).text();
      for (const name of ['clicks', 'clicks-1', 'clicks-4', 'webhooks-4']) {
        expect(metrics).to.contain(`shortlinks_queue_jobs{queue="${name}",state="waiting"} 0`);
      }
    });
  });

  it('loses and doubles nothing when it goes from 4 to 1 while the queues are filled', () =>
    changeWhileFilled('fewer', 1, ['clicks-1', 'clicks-2', 'clicks-3', 'clicks-4']));

  it('nor when it goes back to 4', () => changeWhileFilled('more', 4, ['clicks']));

  it('has dead letters of all shards listed, retried, discarded and backed up', async () => {
    const queue = defineQueue('sharded', { attempts: 1, isSharded: true });
    const jobs = jobsOf(queue, { work: job<number>() });
    let isFaulty = true;
    const failing = handlers(jobs, {
      work: async () => {
        if (isFaulty) throw new Error('as wanted');
      },
    });
    const log = makeLog('test', 'silent');
    const worker = serve(queue, failing, { redis, log, concurrency: 4 });
    try {
      const ids = ['a', 'b', 'c', 'd'];
      for (const [n, jobId] of ids.entries()) {
        const shard = { ...queue, name: `sharded-${n + 1}`, shard: n + 1 };
        await producer.add(jobs.work, n, { jobId, projectId: '', shard });
        await eventually(async () => {
          expect(await inspector.depth(queue)).to.include({ failed: n + 1 });
        });
      }
      const listed = await inspector.listFailed(queue, 3);
      expect(listed.map(({ jobId }) => jobId)).to.deep.equal(['d', 'c', 'b']);
      const stored: string[] = [];
      for await (const { id } of inspector.storedJobs(queue)) stored.push(id);
      expect(stored).to.have.members(ids);
      expect(await inspector.findFailed(queue, 'c')).to.include({ jobId: 'c', data: 2 });
      expect(await inspector.discardFailed(queue, 'c')).to.equal(true);
      isFaulty = false;
      expect(await inspector.retryFailed(queue, 'd')).to.equal(true);
      await eventually(async () => {
        expect(await inspector.depth(queue)).to.include({ failed: 2, waiting: 0, active: 0 });
      });
    } finally {
      await worker.close();
    }
    await inspector.clear(queue);
    expect(await inspector.depth(queue)).to.include({ failed: 0 });
  });
});

describe('the hash tags of shards', () => {
  it('are in n different n-ths of the slots, for every number n of shards', () => {
    const slots = Array.from({ length: MAX_SHARDS }, (_, n) =>
      slotOf(tagOf({ name: 'clicks', shard: n + 1 })),
    );
    for (let n = 1; n <= MAX_SHARDS; n += 1) {
      const parts = slots.slice(0, n).map((slot) => Math.floor((slot * n) / SLOTS));
      expect(new Set(parts), `of ${n}`).to.have.length(n);
    }
  });
});

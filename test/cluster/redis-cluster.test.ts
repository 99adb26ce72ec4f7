import { expect } from 'chai';
import { visitsAddUp, writesAddUp } from '../support/adding-up.ts';
import { eventually } from '../support/eventually.ts';
import { OwnService } from '../support/own-service.ts';
import { RedisCluster } from '../support/redis-cluster.ts';
import { Visitors, Writers } from '../support/traffic.ts';

const VISITS_PER_SECOND = 100;
const WRITES_PER_SECOND = 10;
/** Longest time from a change of the cluster to the next answered write, in ms; a busy machine takes most of it. */
const AGAIN_MS = 20_000;
const KEYS = Array.from({ length: 20 }, (_, n) => `known-${n}`);
/** Hash tag of the queue of visits. */
const CLICKS = '{q-clicks}';

describe('Redis Cluster', function () {
  this.timeout(240_000);
  const cluster = new RedisCluster();
  const own = new OwnService();

  before(async () => {
    await cluster.start();
    const { url } = cluster;
    const settings = { REDIS_URL: url, CACHE_REDIS_URL: url, WRITE_WAIT_MS: '3000' };
    await own.start(settings, 'Procfile.small');
    await own.post(
      '/links/bulk',
      KEYS.map((key) => ({ url: `https://example.com/${key}`, key })),
    );
  });

  after(async () => {
    await own.stop();
    await cluster.stop();
  });

  /** Visits and writes go on while the cluster changes, and every answered one is there once. */
  async function goOn(name: string, change: () => Promise<unknown>): Promise<void> {
    const visitors = new Visitors(name, own.service.redirectPorts, KEYS, VISITS_PER_SECOND);
    const writers = new Writers(name, own.service.apiUrl, own.apiKey, WRITES_PER_SECOND);
    const { tally } = visitors;
    const { made } = writers.tally;
    await eventually(() => expect(made.length).to.be.above(WRITES_PER_SECOND), AGAIN_MS);
    await change();
    const changed = performance.now();
    const [madeBefore, visitsBefore] = [made.length, tally.answered.size];
    await eventually(() => expect(made.length).to.be.above(madeBefore), AGAIN_MS);
    const again = Math.round(performance.now() - changed);
    await eventually(
      () => expect(tally.answered.size).to.be.above(visitsBefore + VISITS_PER_SECOND),
      AGAIN_MS,
    );
    const [visits, writes] = await Promise.all([visitors.stop(), writers.stop()]);
    expect([...visits.others], 'answers other than redirects').to.deep.equal([]);
    expect([...visits.cut], 'answers cut off').to.deep.equal([]);
    await visitsAddUp(own, name, visits);
    await writesAddUp(own, name, writes);
    expect(own.service.lines.filter((line) => line.includes('restart'))).to.deep.equal([]);
    console.log(`      a write was answered ${again} ms after the change`);
  }

  it('loses no answered visit or write when the primary of a queue is killed', async () => {
    let killed: Awaited<ReturnType<typeof cluster.killPrimaryOf>>;
    await goOn('queue', async () => {
      killed = await cluster.killPrimaryOf(CLICKS);
    });
    await cluster.startAgain(killed!);
  });

  it('nor when the primary of channels is killed', async () => {
    let killed: Awaited<ReturnType<typeof cluster.killPrimaryOf>>;
    await goOn('channels', async () => {
      killed = await cluster.killPrimaryOf('{channels}');
    });
    await cluster.startAgain(killed!);
  });

  it('nor when a replica takes over in order', () =>
    goOn('failover', () => cluster.failOver('{q-writes}')));

  it('nor when the slot of a queue is moved', () =>
    goOn('moved', () => cluster.moveSlotOf(CLICKS)));
});

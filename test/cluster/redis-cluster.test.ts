import { expect } from 'chai';
import { clicks } from '../../src/queues/clicks.ts';
import { tagOf } from '../../src/queues/shards.ts';
import { eventually } from '../support/eventually.ts';
import { goOn, startOn } from '../support/going-on.ts';
import { OwnService } from '../support/own-service.ts';
import { RedisCluster } from '../support/redis-cluster.ts';

const SHARDS = [1, 2, 3].map((shard) => ({ ...clicks, name: `clicks-${shard}`, shard }));
/** Hash tag of a shard of the queue of visits. */
const CLICKS = tagOf(SHARDS[0]!);

describe('Redis Cluster', function () {
  this.timeout(240_000);
  const cluster = new RedisCluster();
  const own = new OwnService();

  before(async () => {
    await cluster.start();
    await startOn(own, cluster.url, { QUEUE_SHARDS: '3' });
  });

  after(async () => {
    await own.stop();
    await cluster.stop();
  });

  it('has the visits of three shards on three primaries, each about a third', async () => {
    const owners = await Promise.all(SHARDS.map((shard) => cluster.primaryOf(tagOf(shard))));
    expect(new Set(owners.map(({ port }) => port))).to.have.length(3);
    const ended = (shard: (typeof SHARDS)[number]) =>
      cluster.countOf(`${tagOf(shard)}:${shard.name}:metrics:completed`);
    await goOn(own, 'spread', async () => {
      await eventually(async () => {
        for (const shard of SHARDS) expect(await ended(shard)).to.be.above(50);
      }, 20_000);
    });
    const counts = await Promise.all(SHARDS.map(ended));
    const all = counts.reduce((sum, count) => sum + count, 0);
    for (const count of counts) expect(count / all).to.be.closeTo(1 / 3, 0.1);
  });

  it('loses no answered visit or write when the primary of a queue is killed before its replica has it', async () => {
    await goOn(own, 'queue', async () => {
      // The new primary has no other replica, and takes no visits without one.
      await cluster.startAgain(await cluster.killPrimaryOf(CLICKS));
    });
  });

  it('nor when the primary of channels is killed', async () => {
    await goOn(own, 'channels', async () => {
      // It has a shard too.
      await cluster.startAgain(await cluster.killPrimaryOf('{channels}'));
    });
  });

  it('nor when a replica takes over in order', () =>
    goOn(own, 'failover', () => cluster.failOver('{q-writes}')));

  it('nor when the slot of a queue is moved', async () => {
    const before = await cluster.describe();
    try {
      await goOn(own, 'moved', () => cluster.moveSlotOf(CLICKS));
    } catch (error) {
      console.log(`before:\n${before}\n\nafter:\n${await cluster.describe()}`);
      throw error;
    }
  });
});

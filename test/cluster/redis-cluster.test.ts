import { goOn, startOn } from '../support/going-on.ts';
import { OwnService } from '../support/own-service.ts';
import { RedisCluster } from '../support/redis-cluster.ts';

/** Hash tag of the queue of visits. */
const CLICKS = '{q-clicks}';

describe('Redis Cluster', function () {
  this.timeout(240_000);
  const cluster = new RedisCluster();
  const own = new OwnService();

  before(async () => {
    await cluster.start();
    await startOn(own, cluster.url);
  });

  after(async () => {
    await own.stop();
    await cluster.stop();
  });

  it('loses no answered visit or write when the primary of a queue is killed before its replica has it', async () => {
    await goOn(own, 'queue', async () => {
      // The new primary has no other replica, and takes no visits without one.
      await cluster.startAgain(await cluster.killPrimaryOf(CLICKS));
    });
  });

  it('nor when the primary of channels is killed', async () => {
    let killed: Awaited<ReturnType<typeof cluster.killPrimaryOf>>;
    await goOn(own, 'channels', async () => {
      killed = await cluster.killPrimaryOf('{channels}');
    });
    await cluster.startAgain(killed!);
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

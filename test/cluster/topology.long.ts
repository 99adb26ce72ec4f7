import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { clicks } from '../../src/queues/index.ts';
import { tagOf } from '../../src/queues/shards.ts';
import { visitsAddUp } from '../support/adding-up.ts';
import { eventually } from '../support/eventually.ts';
import { goOn, KEYS, makeKnown } from '../support/going-on.ts';
import { hasTopology, type Topology } from '../support/topology.ts';
import { TopologyService } from '../support/topology-service.ts';
import { Visitors } from '../support/traffic.ts';
// Starts the servers of the tests.
import '../support/stack.ts';

const SHARDS = [1, 2, 3].map((shard) => ({ ...clicks, name: `clicks-${shard}`, shard }));
/** Hash tag of a shard of the queue of visits. */
const CLICKS = tagOf(SHARDS[0]!);
const VISITS_PER_SECOND = 100;

/** Servers and hosts on which `npm run test:cluster` runs all tests, here with fewer processes. */
describe('on several machines', function () {
  const own = new TopologyService();
  let topology: Topology;

  before(async function () {
    if (!hasTopology()) this.skip();
    topology = await own.prepare();
    await own.start(await topology.layout({ procfile: 'Procfile.small' }));
    await makeKnown(own);
  });

  after(() => own.stop());

  it('has the visits of three shards on three primaries of Redis, each about a third', async () => {
    const { redis } = topology;
    const owners = await Promise.all(SHARDS.map((shard) => redis.primaryOf(tagOf(shard))));
    expect(new Set(owners.map(({ port }) => port))).to.have.length(3);
    const ended = (shard: (typeof SHARDS)[number]) =>
      redis.countOf(`${tagOf(shard)}:${shard.name}:metrics:completed`);
    await goOn(own, 'spread', async () => {
      await eventually(async () => {
        for (const shard of SHARDS) expect(await ended(shard)).to.be.above(50);
      });
    });
    const counts = await Promise.all(SHARDS.map(ended));
    const all = counts.reduce((sum, count) => sum + count, 0);
    for (const count of counts) expect(count / all).to.be.closeTo(1 / 3, 0.1);
  });

  it('lets a process end as soon as it has closed its connections', async () => {
    const script = `
      import { connectRedis, ownerOf } from './dist/src/infra/redis.js';
      const redis = connectRedis(${JSON.stringify(topology.redis.url)}, 'wait');
      await ownerOf(redis, '{channels}').ping();
      await redis.quit();`;
    // Idle connections to a node are closed after 20 s, and must not keep the process alive.
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      timeout: 15_000,
    });
  });

  it('loses no answered visit or write when the primary of a queue is killed before its replica has it', async () => {
    await goOn(own, 'queue', async () => {
      // The new primary has no replica, and accepts no visits without one.
      await topology.redis.startAgain(await topology.redis.killPrimaryOf(CLICKS));
    });
  });

  it('nor when the primary of channels is killed', async () => {
    await goOn(own, 'channels', async () => {
      // The node of channels holds a shard too.
      await topology.redis.startAgain(await topology.redis.killPrimaryOf('{channels}'));
    });
  });

  it('nor when a replica of Redis takes over in order', () =>
    goOn(own, 'failover', () => topology.redis.failOver('{q-writes}')));

  it('nor when the slot of a queue is moved', async () => {
    const before = await topology.redis.describe();
    try {
      await goOn(own, 'moved', () => topology.redis.moveSlotOf(CLICKS));
    } catch (error) {
      console.log(`before:\n${before}\n\nafter:\n${await topology.redis.describe()}`);
      throw error;
    }
  });

  it('nor when the primary of Postgres ends, and its standby takes over', () =>
    goOn(own, 'promoted', () => topology.postgres.failOver()));

  it('nor when a redirect host ends: the proxy sends its visitors to the other', async () => {
    const { service } = own;
    const visitors = new Visitors('host', [service.redirectPort], KEYS, VISITS_PER_SECOND);
    const { answered } = visitors.tally;
    const more = async () => {
      const before = answered.size;
      await eventually(() => expect(answered.size).to.be.above(before + 2 * VISITS_PER_SECOND));
    };
    await more();
    service.runner.kill('redirect.1', 'SIGKILL');
    await eventually(() => expect(service.restarts('redirect')).to.equal(1));
    await more();
    const tally = await visitors.stop();
    // Requests that were under way get no answer.
    expect(tally.cut.size + tally.others.size).to.be.below(VISITS_PER_SECOND);
    await visitsAddUp(own, 'host', tally);
  });
});

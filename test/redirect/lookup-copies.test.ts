import { expect } from 'chai';
import { config } from '../../src/config.ts';
import { newId } from '../../src/ids.ts';
import { connectRedis, type Redis, redisReady } from '../../src/infra/redis.ts';
import { linkName, readStored } from '../../src/lookup/codec.ts';
import { fill, GONE_SECONDS, publish } from '../../src/lookup/publish.ts';
import { Epoch } from '../../src/lookup/validity.ts';
// Starts the servers of the tests.
import '../support/servers.ts';

describe('the copy of a look-up in Redis', () => {
  let redis: Redis;
  let epoch: string;
  let name: string;

  before(async () => {
    redis = connectRedis(config().CACHE_REDIS_URL, 'wait');
    await redisReady(redis);
    epoch = await new Epoch(redis).ask();
  });
  beforeEach(() => {
    name = linkName(newId('domain'), 'k');
  });
  afterEach(() => redis.del(name));
  after(() => redis.disconnect());

  const put = (version: number, entry: string | null) =>
    publish(redis, [{ name, version, entry, announce: false }]);
  const stored = async () => readStored(await redis.get(name), epoch);

  const older: [what: string, read: string][] = [
    ['the mark of a deletion', '7@older|'],
    ['the entry of what was deleted', '7@older|{}'],
  ];
  for (const [what, value] of older) {
    it(`is not replaced by a late put after Redis came back with ${what}`, async () => {
      await redis.set(name, value, 'EX', GONE_SECONDS);
      await fill(redis, name, { value, row: null, epoch });
      expect(await stored()).to.equal(null);
      for (const version of [6, 7]) {
        await put(version, 'late');
        expect(await stored(), `version ${version}`).to.equal(null);
      }
      expect(await redis.ttl(name)).to.be.within(GONE_SECONDS - 60, GONE_SECONDS);
      await put(8, 'made anew');
      expect(await stored()).to.equal('made anew');
    });
  }

  it('contains a miss for half a minute at most', async () => {
    await fill(redis, name, { value: null, row: null, epoch });
    expect(await stored()).to.equal(null);
    expect(await redis.ttl(name)).to.be.within(1, 30);
    await put(1, 'made');
    expect(await stored()).to.equal('made');
  });

  it('of another epoch is replaced by the row in Postgres', async () => {
    const value = '7@older|before';
    await redis.set(name, value);
    await fill(redis, name, { value, row: { version: 8, entry: 'now' }, epoch });
    expect(await stored()).to.equal('now');
    await put(7, 'late');
    expect(await stored()).to.equal('now');
  });
});

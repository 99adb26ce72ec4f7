import { once } from 'node:events';
import { expect } from 'chai';
import { connectRedis, redisReady } from '../../src/infra/redis.ts';
import { goOn, startOn } from '../support/going-on.ts';
import { OneProcess } from '../support/one-process.ts';
import { OwnService } from '../support/own-service.ts';
import type { RedisNode } from '../support/redis-node.ts';
import { AUTHENTICATED, Sentinels } from '../support/sentinels.ts';

describe('Redis behind sentinels', function () {
  const sentinels = new Sentinels();
  const own = new OwnService();

  before(async () => {
    await sentinels.start();
    await startOn(own, sentinels.url);
  });

  after(async () => {
    await own.stop();
    await sentinels.stop();
  });

  it('loses no answered visit or write when the primary is killed before its replicas have it, nor when the next one is stopped', async () => {
    let ended: RedisNode | undefined;
    await goOn(own, 'killed', async () => {
      ended = await sentinels.killPrimaryAhead();
    });
    await sentinels.startAgain(ended!);
    await goOn(own, 'stopped', () => sentinels.stopPrimary());
  });

  it('asks for the primary again where the server takes no writes, and sends the command there', async () => {
    const primary = await sentinels.primary();
    const redis = connectRedis(sentinels.url, 'wait');
    try {
      await redisReady(redis);
      await primary.cli(...AUTHENTICATED, 'config', 'set', 'min-replicas-to-write', '9');
      const again = once(redis, 'ready');
      const written = redis.set('some', 'thing');
      await again;
      await primary.cli(...AUTHENTICATED, 'config', 'set', 'min-replicas-to-write', '0');
      expect(await written).to.equal('OK');
    } finally {
      redis.disconnect();
    }
  });

  it('refuses, in one line, sentinels that do not know the primary', async () => {
    const url = sentinels.url.replace(/main$/, 'other');
    const one = new OneProcess('worker_writes', { REDIS_URL: url, HEALTH_PORT: '0' });
    await one.logged('REDIS_URL: 127.0.0.1:');
    // On a busy machine, Postgres can answer too late for this check.
    const [first] = one.lines.filter(({ msg }) => !msg?.startsWith('SECRET_KEY could not be'));
    expect(first?.msg).to.match(/ is no sentinel of a primary with the name "other"$/);
    expect(await one.ended()).to.equal(1);
  });
});

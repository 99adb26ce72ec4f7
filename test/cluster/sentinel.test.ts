import { once } from 'node:events';
import { expect } from 'chai';
import { connectRedis, redisReady } from '../../src/infra/redis.ts';
import { visitsAddUp, writesAddUp } from '../support/adding-up.ts';
import { eventually } from '../support/eventually.ts';
import { OneProcess } from '../support/one-process.ts';
import { OwnService } from '../support/own-service.ts';
import type { RedisNode } from '../support/redis-node.ts';
import { AUTHENTICATED, Sentinels } from '../support/sentinels.ts';
import { Visitors, Writers } from '../support/traffic.ts';

const VISITS_PER_SECOND = 100;
const WRITES_PER_SECOND = 10;
/** Longest time from the failover to the next answered write, in ms; a busy machine takes most of it. */
const AGAIN_MS = 20_000;
const KEYS = Array.from({ length: 20 }, (_, n) => `known-${n}`);

describe('Redis behind sentinels', function () {
  this.timeout(240_000);
  const sentinels = new Sentinels();
  const own = new OwnService();

  before(async () => {
    await sentinels.start();
    const url = sentinels.url;
    const settings = { REDIS_URL: url, CACHE_REDIS_URL: url, WRITE_WAIT_MS: '3000' };
    await own.start(settings, 'Procfile.small');
    await own.post(
      '/links/bulk',
      KEYS.map((key) => ({ url: `https://example.com/${key}`, key })),
    );
  });

  after(async () => {
    await own.stop();
    await sentinels.stop();
  });

  /** Visits and writes go on while another server takes over, and every answered one is there once. */
  async function goOn(name: string, replace: () => Promise<unknown>): Promise<void> {
    const visitors = new Visitors(name, own.service.redirectPorts, KEYS, VISITS_PER_SECOND);
    const writers = new Writers(name, own.service.apiUrl, own.apiKey, WRITES_PER_SECOND);
    const { tally } = visitors;
    const { made } = writers.tally;
    await eventually(() => expect(made.length).to.be.above(WRITES_PER_SECOND), AGAIN_MS);
    await replace();
    const replaced = performance.now();
    const [madeBefore, visitsBefore] = [made.length, tally.answered.size];
    await eventually(() => expect(made.length).to.be.above(madeBefore), AGAIN_MS);
    const again = Math.round(performance.now() - replaced);
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
    console.log(`      a write was answered ${again} ms after the failover`);
  }

  it('loses no answered visit or write when the primary is killed, nor when the next one is stopped', async () => {
    let ended: RedisNode | undefined;
    await goOn('killed', async () => {
      ended = await sentinels.endPrimary('SIGKILL');
    });
    await ended!.start();
    await goOn('stopped', () => sentinels.endPrimary('SIGTERM'));
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
    expect(one.lines[0]?.msg).to.match(/ is no sentinel of a primary with the name "other"$/);
    expect(await one.ended()).to.equal(1);
  });
});

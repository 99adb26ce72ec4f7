import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { config } from '../../src/config.ts';
import { connectRedis, type SingleRedis } from '../../src/infra/redis.ts';
import { browser } from '../support/browser.ts';
import { ApiClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { upload } from '../support/imports.ts';
import { noise } from '../support/noise.ts';
import { redisAdminUrl } from '../support/private-admin.ts';
import { Site } from '../support/site.ts';
import { isTopology, stack } from '../support/stack.ts';
import { aWorkspace, visit } from '../support/world.ts';

const URL_A = 'https://example.com/a';

describe('stored images', () => {
  const anyone = new ApiClient(undefined);
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });

  it('leave the memory of Redis to visits and writes, however many are drawn', async function () {
    if (isTopology()) this.skip();
    const admin = connectRedis(
      redisAdminUrl(config().REDIS_URL, stack().dataDir),
      'wait',
    ) as SingleRedis;
    const used = async () => Number(/^used_memory:(\d+)/m.exec(await admin.info('memory'))![1]);
    const site = await Site.start();
    const world = await aWorkspace();
    try {
      const before = await used();
      const room = 64 * 2 ** 20;
      await admin.config('SET', 'maxmemory', String(before + room));
      // Processes read the memory limit every 10 s.
      await pause(11_000);
      const statuses: number[] = [];
      const ask = async (lane: number) => {
        for (let n = lane; n < 30; n += 2) {
          const body = Buffer.from((await noise(500, n)).split(',')[1]!, 'base64');
          const src = site.answer(`/noise-${n}.png`, { type: 'image/png', body });
          const { status, headers } = await anyone.download(
            '/qr',
            { url: `${URL_A}?${n}`, src, size: 1_500 },
            from(`198.18.${n}.1`),
          );
          statuses.push(status);
          if (status !== 200) expect(Number(headers.get('retry-after'))).to.be.greaterThan(0);
        }
      };
      await Promise.all([ask(0), ask(1)]);
      for (const status of statuses) expect(status).to.be.oneOf([200, 503]);
      expect(statuses.filter((status) => status === 200).length).to.be.greaterThan(12);
      // Kept images can use an eighth of the memory.
      expect((await used()) - before).to.be.lessThan(room / 3);
      await eventually(async () => expect(await admin.keys('once:*')).to.deep.equal([]));

      const file = `url\n${'https://example.com/\n'.repeat(1_200_000)}`;
      const uploads = async () => [
        await admin.keys('upload:*'),
        await admin.hgetall('kept:uploads'),
      ];
      const waiting = await uploads();
      const refused = await upload(world, file);
      expect(refused.status, JSON.stringify(refused.body)).to.equal(503);
      expect(Number(refused.headers.get('retry-after'))).to.be.greaterThan(0);
      expect(await uploads()).to.deep.equal(waiting);

      const { status, body } = await world.api.post('/links', { url: URL_A });
      expect(status).to.equal(201);
      for (let n = 0; n < 5; n += 1) {
        const options = { host: body.domain as string, userAgent: browser(n) };
        expect((await visit(`/${body.key}`, options)).status).to.equal(302);
      }
      await eventually(async () => {
        expect((await world.api.get(`/links/${body.id}`)).body.clicks).to.equal(5);
      });
    } finally {
      await admin.config('SET', 'maxmemory', '0');
      admin.disconnect();
      await site.stop();
    }
  });
});

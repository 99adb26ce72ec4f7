import { expect } from 'chai';
import { connectRedis } from '../../src/infra/redis.ts';
import { Unavailable } from '../../src/lookup/find.ts';
import { PostgresSource } from '../../src/lookup/source.ts';
import { Quota } from '../../src/redirect/limits.ts';
import { DISCORD_PROXY } from '../data/chat-agents.ts';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://example.com/a';

describe('a link with maxVisits', () => {
  let world: World;

  before(async () => {
    world = await aWorkspace();
  });

  const open = (key: string, visitor: number, options: object = {}) =>
    world.visit(`/${key}`, { userAgent: browser(visitor), ...options });

  it('redirects exactly that many concurrent visitors', async () => {
    const { body: link } = await world.api.post('/links', { url: A, key: 'many', maxVisits: 25 });
    const answers = await Promise.all(
      Array.from({ length: 120 }, (_, at) => open('many', at, { process: at % 2 })),
    );
    expect(answers.filter(({ status }) => status === 302)).to.have.lengthOf(25);
    expect(answers.filter(({ status }) => status === 410)).to.have.lengthOf(95);
    await eventually(async () => {
      expect((await world.api.get(`/links/${link.id}`)).body.clicks).to.equal(25);
    });
  });

  it('redirects a visitor again within the window, until it is used up', async () => {
    await world.api.post('/links', { url: A, key: 'two', maxVisits: 2 });
    const statuses: number[] = [];
    for (const visitor of [1, 1, 1, 2, 1, 3]) statuses.push((await open('two', visitor)).status);
    expect(statuses).to.deep.equal([302, 302, 302, 302, 410, 410]);
  });

  it('then redirects as if it were expired', async () => {
    await world.api.post('/links', {
      url: A,
      key: 'over',
      maxVisits: 1,
      expiredUrl: 'https://example.com/over',
    });
    expect((await open('over', 1)).headers.location).to.equal(A);
    expect((await open('over', 2)).headers.location).to.equal('https://example.com/over');
  });

  it('does not count bots, HEAD requests, previews and its password page', async () => {
    await world.api.post('/links', { url: A, key: 'one', maxVisits: 1 });
    await open('one', 1, { userAgent: 'Googlebot/2.1 (+http://www.google.com/bot.html)' });
    await open('one', 2, { method: 'HEAD' });
    await open('one+', 3);
    expect((await open('one', 4)).status).to.equal(302);
    // Crawlers and HEAD requests are refused too once the quota is used up.
    for (const options of [{ userAgent: 'Googlebot/2.1' }, { method: 'HEAD' }]) {
      expect((await open('one', 5, options)).status).to.equal(410);
    }
    expect((await open('one+', 6)).status).to.equal(410);
  });

  it('does not count the two requests of Discord for a picture in a message', async () => {
    const url = 'https://example.com/picture.png';
    const { body: link } = await world.api.post('/links', { url, key: 'picture', maxVisits: 1 });
    const crawler = 'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)';
    for (const userAgent of [crawler, DISCORD_PROXY.userAgent, DISCORD_PROXY.userAgent]) {
      expect((await open('picture', 1, { userAgent })).headers.location).to.equal(url);
    }
    expect((await open('picture', 1)).headers.location).to.equal(url);
    expect((await open('picture', 2)).status).to.equal(410);
    await eventually(async () => {
      expect((await world.api.get(`/links/${link.id}`)).body.clicks).to.equal(1);
    });
  });

  it('redirects that many visitors again when its counts are reset', async () => {
    const { body: link } = await world.api.post('/links', { url: A, key: 'reset', maxVisits: 2 });
    for (const visitor of [1, 2]) await open('reset', visitor);
    expect((await open('reset', 3)).status).to.equal(410);
    await eventually(async () => {
      expect((await world.api.get(`/links/${link.id}`)).body.clicks).to.equal(2);
    });
    expect((await world.api.post(`/links/${link.id}/reset`)).body.clicks).to.equal(0);
    const statuses: number[] = [];
    for (const visitor of [4, 5, 6]) {
      statuses.push((await open('reset', visitor, { process: visitor % 2 })).status);
    }
    expect(statuses).to.deep.equal([302, 302, 410]);
    await eventually(async () => {
      expect((await world.api.get(`/links/${link.id}`)).body.clicks).to.equal(2);
    });
  });

  it('redirects again when maxVisits is raised', async () => {
    const { body: link } = await world.api.post('/links', { url: A, key: 'more', maxVisits: 1 });
    expect((await open('more', 1)).status).to.equal(302);
    expect((await open('more', 2)).status).to.equal(410);
    await world.api.patch(`/links/${link.id}`, { maxVisits: 2 });
    expect((await open('more', 2)).status).to.equal(302);
    expect((await open('more', 3)).status).to.equal(410);
    await world.api.patch(`/links/${link.id}`, { maxVisits: null });
    expect((await open('more', 3)).status).to.equal(302);
  });

  it('includes the visits that were counted before it was set', async () => {
    const { body: link } = await world.api.post('/links', { url: A, key: 'late' });
    for (const visitor of [1, 2, 3]) await open('late', visitor);
    await eventually(async () => {
      expect((await world.api.get(`/links/${link.id}`)).body.clicks).to.equal(3);
    });
    await world.api.patch(`/links/${link.id}`, { maxVisits: 4 });
    expect((await open('late', 4)).status).to.equal(302);
    expect((await open('late', 5)).status).to.equal(410);
  });

  it('counts every visit in a workspace without a window', async () => {
    const every = await aWorkspace();
    await every.set({ clickDedupeSeconds: 0 });
    await every.api.post('/links', { url: A, key: 'all', maxVisits: 3 });
    const statuses: number[] = [];
    for (let at = 0; at < 5; at += 1) statuses.push((await every.visit('/all')).status);
    expect(statuses).to.deep.equal([302, 302, 302, 410, 410]);
  });

  it('returns 503 while Redis is unavailable, since the count is unknown', async () => {
    const redis = connectRedis('redis://127.0.0.1:9', 'fail-fast');
    const quota = new Quota(redis, new PostgresSource());
    const link = { id: 'link_1', projectId: world.projectId, destination: A, maxVisits: 1 };
    for (const answer of [quota.take(link, 'clk_1', 60), quota.isUsedUp(link)]) {
      const error = await answer.then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).to.be.instanceOf(Unavailable);
    }
    redis.disconnect();
  });

  it('is refused with an invalid maxVisits', async () => {
    for (const maxVisits of [0, -1, 1.5, '3', 2e9]) {
      const { status, body } = await world.api.post('/links', { url: A, maxVisits });
      expect(status, String(maxVisits)).to.equal(422);
      expect(body.error.message).to.contain('maxVisits');
    }
  });
});

import { expect } from 'chai';
import { append } from '../../src/events/store/postgres/append.ts';
import { db } from '../../src/infra/db.ts';
import { browser } from '../support/browser.ts';
import { anEvent } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, type World } from '../support/world.ts';

const REFERRERS: readonly string[] = [
  'https://l.facebook.com/',
  'https://lm.facebook.com/',
  'https://m.facebook.com/',
  'https://www.facebook.com/',
  'android-app://com.facebook.katana/',
  'android-app://com.google.android.gm',
  'https://mail.google.com/',
  'android-app://com.google.android.googlequicksearchbox/https/www.google.com',
  'https://www.google.de/',
  'https://t.co/x',
  'https://x.com/',
  'android-app://com.Example.app/',
  'https://www.example.com/page',
  'https://example.com/',
  '',
];
const SOURCES: readonly [source: string, clicks: number][] = [
  ['Facebook', 5],
  ['Gmail', 2],
  ['Google', 2],
  ['X', 2],
  ['example.com', 2],
  ['(direct)', 1],
  ['com.example.app', 1],
];

describe('sources', () => {
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  const ask = async (query: Record<string, string>) => {
    const { status, body } = await world.api.get('/analytics', query);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  };

  it('name sites and apps of one service once, in groups and filters', async () => {
    await world.api.post('/links', { url: 'https://example.com/', key: 'a' });
    for (const [n, referer] of REFERRERS.entries()) {
      const headers = { 'user-agent': browser(n), ...(referer !== '' && { referer }) };
      expect((await world.visit('/a', { headers })).status).to.equal(302);
    }
    await eventually(async () =>
      expect((await ask({ groupBy: 'clicks' })).clicks).to.equal(REFERRERS.length),
    );
    expect(await ask({ groupBy: 'sources' })).to.deep.equal(
      SOURCES.map(([source, clicks]) => ({ source, clicks, visitors: clicks })),
    );
    for (const [source, clicks] of SOURCES) {
      expect((await ask({ source, groupBy: 'clicks' })).clicks, source).to.equal(clicks);
      const { body } = await world.api.get('/events', { source: source.toLowerCase() });
      expect(body.length, source).to.equal(clicks);
    }
    const both = { source: 'Facebook,X', referer: 'WWW.' };
    expect((await ask({ ...both, groupBy: 'clicks' })).clicks).to.equal(1);
    expect((await ask({ source: 'www.facebook.com', groupBy: 'clicks' })).clicks).to.equal(5);
    expect((await ask({ source: 'nowhere', groupBy: 'clicks' })).clicks).to.equal(0);
    expect(await ask({ groupBy: 'referers', source: 'Gmail' })).to.deep.equal([
      { referer: 'com.google.android.gm', clicks: 1, visitors: 1 },
      { referer: 'mail.google.com', clicks: 1, visitors: 1 },
    ]);
    const apps = await ask({ groupBy: 'referer_urls', source: 'com.example.app' });
    expect(apps).to.deep.equal([
      { refererUrl: 'android-app://com.Example.app/', clicks: 1, visitors: 1 },
    ]);
  });

  it('are merged before the limit of rows', async () => {
    const { projectId } = world;
    const at = Date.now() - 60_000;
    const many = Array.from({ length: 5_010 }, (_, n) => `site${n}.example`);
    // Each host of the source alone would be behind all others.
    const rare = ['facebook.com', 'www.facebook.com', 'l.facebook.com'];
    const events = [...many, ...many, ...rare].map((referer, n) =>
      anEvent(projectId, { id: `clk_${n}`, occurred_at: new Date(at + n).toISOString(), referer }),
    );
    for (let from = 0; from < events.length; from += 500) {
      await db().transaction((trx) => append(trx, events.slice(from, from + 500)));
    }
    const rows = await ask({ groupBy: 'sources' });
    expect(rows).to.have.length(5_000);
    expect(rows[0]).to.deep.equal({ source: 'Facebook', clicks: 3, visitors: 0 });
    expect(rows[1]).to.deep.equal({ source: 'site0.example', clicks: 2, visitors: 0 });
  });

  it('and UTM parameters compare without case, and old spellings of systems are found', async () => {
    const urls = [
      'Newsletter',
      'newsletter',
      'newsletter',
      'Herbst',
      'HERBST',
      '%C3%96l',
      '%C3%B6l',
    ];
    const events = urls.map((value, n) =>
      anEvent(world.projectId, {
        id: `clk_${n}`,
        occurred_at: new Date(Date.now() - 60_000 + n).toISOString(),
        url: `https://example.com/?utm_source=${value}&utm_campaign=${value}`,
        os: n < 3 ? 'KAIOS' : 'KaiOS',
      }),
    );
    await db().transaction((trx) => append(trx, events));
    for (const field of ['utm_source', 'utm_campaign']) {
      expect(await ask({ groupBy: `${field}s` })).to.deep.equal([
        { [field]: 'newsletter', clicks: 3, visitors: 0 },
        { [field]: 'Herbst', clicks: 2, visitors: 0 },
        { [field]: 'öl', clicks: 2, visitors: 0 },
      ]);
      for (const value of ['NEWSLETTER', 'herbst', 'Öl']) {
        const { clicks } = await ask({ groupBy: 'clicks', [field]: value });
        expect(clicks, value).to.equal(value === 'NEWSLETTER' ? 3 : 2);
      }
    }
    expect(await ask({ groupBy: 'os' })).to.deep.equal([{ os: 'KaiOS', clicks: 7, visitors: 0 }]);
    for (const os of ['KaiOS', 'KAIOS']) {
      expect((await ask({ groupBy: 'clicks', os })).clicks).to.equal(7);
    }
  });
});

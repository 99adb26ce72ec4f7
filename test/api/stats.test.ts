import { expect } from 'chai';
import { JSDOM } from 'jsdom';
import { eventsStore } from '../../src/events/store/index.ts';
import { db } from '../../src/infra/db.ts';
import { browser } from '../support/browser.ts';
import { anEvent } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

const SECRET = 'https://secret.example.com/hidden-path';

describe('public statistics', () => {
  let world: World;
  let caller = 0;

  before(async () => {
    world = await aWorkspace();
    await world.api.post('/links', { url: SECRET, key: 'open/day', publicStats: true });
    await world.api.post('/links', { url: SECRET, key: 'shut' });
    await world.api.post('/qrcodes', { type: 'url', url: SECRET, key: 'code', publicStats: true });
    const places = ['192.0.2.1', '192.0.2.2', '198.51.100.1', '10.0.0.1'];
    for (const [at, ip] of places.entries()) {
      const headers = {
        'x-forwarded-for': ip,
        ...(at === 0 ? { referer: 'https://news.example/post' } : {}),
      };
      await world.visit('/open/day', { userAgent: browser(at), headers });
      // A person does not open two links at once.
      await world.visit('/code', { userAgent: browser(places.length + at), headers });
    }
    await eventually(async () => {
      const { body } = await world.api.get('/analytics', { groupBy: 'count' });
      expect([body.clicks, body.scans]).to.deep.equal([4, 4]);
    });
  });

  /**
   * Opens the statistics page of a key from a new address each time, since addresses are limited.
   */
  async function open(key: string, query = '', headers: Record<string, string> = {}) {
    caller += 1;
    const url = `${stack().apiUrl}/stats/${world.domain}/${key}${query}`;
    const from = { 'x-forwarded-for': `10.9.0.${caller}` };
    const response = await fetch(url, { headers: { ...from, ...headers }, redirect: 'manual' });
    return { status: response.status, headers: response.headers, body: await response.text() };
  }

  const wordsOf = (body: string) =>
    new JSDOM(body).window.document.querySelector('main')!.textContent.replaceAll(/\s+/g, ' ');

  it('name the owner of the database of places, as its licence asks', async () => {
    const { document } = new JSDOM((await open('open/day')).body).window;
    const link = document.querySelector('footer a[href="https://db-ip.com"]')!;
    expect(link.textContent).to.equal('IP Geolocation by DB-IP');
  });

  it('are linked from the short domain', async () => {
    const { status, headers } = await world.visit('/_/stats/open/day');
    expect(status).to.equal(302);
    expect(headers.location).to.match(new RegExp(`/stats/${world.domain}/open/day$`));
    expect((await world.visit('/_/stats/shut')).status).to.equal(404);
    expect((await world.visit('/_/stats/nope')).status).to.equal(404);
  });

  it('show counts, countries, devices, browsers and referrers, with no script', async () => {
    const { status, headers, body } = await open('open/day');
    expect(status).to.equal(200);
    expect(headers.get('content-security-policy')).to.contain("script-src 'none'");
    expect(body).not.to.contain('<script');
    const words = wordsOf(body);
    for (const some of [
      `${world.domain}/open/day`,
      '4Clicks',
      'Germany2',
      'Japan1',
      'Unknown1',
      'Desktop4',
      'Chrome4',
      'news.example1',
      'Direct3',
    ]) {
      expect(words).to.contain(some);
    }
    expect(new JSDOM(body).window.document.querySelectorAll('.chart .bars rect')).to.have.length(1);
  });

  it('do not show the destination of the link', async () => {
    for (const query of ['', '?format=csv']) {
      expect((await open('open/day', query)).body).not.to.match(/secret|hidden-path/);
    }
  });

  it('count scans of a QR code', async () => {
    expect(wordsOf((await open('code')).body)).to.contain('4Scans');
  });

  it('are in the visitor’s language', async () => {
    const { body } = await open('open/day', '', { 'accept-language': 'de' });
    expect(body).to.contain('<html lang="de">');
    expect(wordsOf(body)).to.contain('Deutschland2').and.to.contain('4Klicks');
  });

  for (const interval of ['24h', '7d', '30d', '90d', '1y', 'all', 'nonsense']) {
    it(`are available for the interval ${interval}`, async () => {
      const { status, body } = await open('open/day', `?interval=${interval}`);
      expect(status).to.equal(200);
      expect(wordsOf(body)).to.contain('4Clicks');
    });
  }

  it('show an empty page before the first visit', async () => {
    await world.api.post('/links', { url: SECRET, key: 'new', publicStats: true });
    const { status, body } = await open('new');
    expect(status).to.equal(200);
    expect(wordsOf(body)).to.contain('Nobody has come');
  });

  it('can be downloaded as CSV, without formulas', async () => {
    const link = { url: SECRET, key: 'sheet', publicStats: true };
    const { id, key } = (await world.api.post('/links', link)).body;
    const visit = {
      link_id: id,
      key,
      domain: world.domain,
      country: 'DE',
      occurred_at: new Date().toISOString(),
    };
    const events = ['=cmd|"/c calc"!A1', 'news.example'].map((referer, at) =>
      anEvent(world.projectId, { ...visit, id: `evt_sheet_${at}`, referer }),
    );
    await db().transaction((trx) => eventsStore().append(trx, events));
    const { headers, body } = await open('sheet', '?format=csv&interval=24h');
    expect(headers.get('content-type')).to.equal('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).to.contain('attachment');
    const lines = body.replace('\ufeff', '').split('\r\n');
    expect(lines[0]).to.equal('group,value,visits');
    expect(lines).to.include('country,DE,2');
    expect(lines).to.include(`referrer,"'=cmd|""/c calc""!A1",1`);
  });

  it('return 404 when the owner has not enabled them, whatever the reason', async () => {
    const bodies: string[] = [];
    for (const key of ['shut', 'nope', '%20', '..%2f..%2fx', '%E0%A4']) {
      const { status, body } = await open(key);
      expect(status, key).to.be.oneOf([400, 404]);
      if (status === 404) bodies.push(body);
    }
    expect(new Set(bodies).size).to.equal(1);
    const elsewhere = await fetch(`${stack().apiUrl}/stats/nobody.example/open/day`, {
      headers: { 'x-forwarded-for': '10.9.1.1' },
    });
    expect(elsewhere.status).to.equal(404);
  });

  it('are limited per client address', async () => {
    const url = `${stack().apiUrl}/stats/${world.domain}/shut`;
    const headers = { 'x-forwarded-for': '203.0.113.200' };
    const statuses = await Promise.all(
      Array.from({ length: 320 }, async () => (await fetch(url, { headers })).status),
    );
    expect(new Set(statuses)).to.deep.equal(new Set([404, 429]));
  });
});

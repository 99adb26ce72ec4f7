import { expect } from 'chai';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, visit as visitHost, type World } from '../support/world.ts';

const A = 'https://example.com/clandestine-place';
const GECKO = '(KHTML, like Gecko)';
const IPHONE = `Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 ${GECKO}`;

const PREFETCHES: readonly Record<string, string>[] = [
  { 'sec-purpose': 'prefetch' },
  { 'sec-purpose': 'prefetch;prerender' },
  { 'sec-purpose': 'prefetch;anonymous-client-ip' },
  { purpose: 'prefetch' },
  { 'x-purpose': 'preview' },
  { 'x-moz': 'prefetch' },
  { 'next-router-prefetch': '1', rsc: '1' },
];

const PROGRAMS: readonly string[] = [
  'Slack/24.01.10 CFNetwork/1490.0.4 Darwin/23.2.0',
  'com.apple.Safari.SearchHelper/19617.1.17 CFNetwork/1490.0.4 Darwin/23.2.0',
  'Dart/3.3 (dart:io)',
  'Mozilla/5.0 (Windows NT; Windows NT 10.0; en-US) WindowsPowerShell/5.1.22621.2506',
  'Mozilla/5.0 (Windows NT 10.0; Microsoft Windows 10.0.22631; en-US) PowerShell/7.4.2',
  'Example/1.0 (com.example.app; build:1; iOS 17.4.0) Alamofire/5.9.1',
  'Mozilla/5.0 (compatible; Yahoo! Slurp)',
  'Outlook-iOS/723.4132.prod.iphone (4.22.0)',
];

const OF_PAGES: readonly Record<string, string>[] = [
  { 'sec-fetch-dest': 'image', 'sec-fetch-mode': 'no-cors' },
  { 'sec-fetch-dest': 'script', 'sec-fetch-mode': 'no-cors' },
  { 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors' },
  { rsc: '1' },
  { 'signature-agent': '"https://chatgpt.com"' },
];

const OFFICE: readonly string[] = [
  'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Word 16.0.17126; Pro)',
  'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.1; Pro)',
  'Microsoft Office Word 2014',
  'Microsoft Office Existence Discovery',
  'Mozilla/4.0 (compatible; ms-office; MSOffice 16)',
  'Mozilla/4.0 (compatible; ms-office; MSOffice rmj)',
  'Word/16.78',
  'MacOutlook/16.89.24090815 (Intelx64 Mac OS X Version 14.6.1)',
];
const OFFICE_WITH_ENGINE =
  'Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0; Trident/7.0; ms-office; MSOffice 16)';

/** Headers of people's browsers. */
const PEOPLE: readonly Record<string, string>[] = [
  { 'user-agent': browser(1) },
  { 'user-agent': browser(2), 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' },
  { 'user-agent': browser(3), 'sec-fetch-dest': 'iframe', 'sec-fetch-mode': 'navigate' },
  // A link with the attribute "download".
  { 'user-agent': browser(4), 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'navigate' },
  {
    'user-agent':
      '[FBAN/FB4A;FBAV/567.1.0.52.74;FBBV/1003893689;FBPN/com.facebook.katana;FBDV/SM-S921B;FBSV/16;]',
  },
  {
    'user-agent': '[FBAN/FBIOS;FBAV/567.1.0.52.74;FBDV/iPhone15,2;FBMD/iPhone;FBSN/iOS;FBSV/17.5]',
  },
  { 'user-agent': `${IPHONE} Mobile/15E148 Outlook-iOS/749.4.prod.iphone (4.2534.0)` },
  {
    'user-agent':
      'Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; Trident/4.0; OfficeLiveConnector.1.3)',
  },
];

describe('traffic', () => {
  let world: World;
  /** Host of a domain with a target. */
  let rootHost: string;

  const visit = (path: string, headers: Record<string, string>, options: object = {}) =>
    world.visit(path, { headers: { 'user-agent': browser(), ...headers }, ...options });
  const post = async (path: string, fields: object) => {
    const { status, body } = await world.api.post(path, fields);
    expect(status, JSON.stringify(body)).to.equal(201);
    return body;
  };
  const counts = async () => {
    const { clicks, scans, viwes } = (await world.api.get('/analytics')).body;
    return { clicks, scans, views: viwes };
  };

  beforeEach(async () => {
    world = await aWorkspace();
    rootHost = `go.${world.domain}`;
    const page = await post('/pages', { title: 'Please read this' });
    const tracked = { url: A, trackConversion: true };
    await post('/links', { ...tracked, key: 'link' });
    await post('/links', { ...tracked, key: 'page', preRedirection: true, pageId: page.id });
    await post('/links', { ...tracked, key: 'once', maxVisits: 1 });
    await post('/qrcodes', { type: 'url', url: A, key: 'code' });
    const domain = await post('/domains', { slug: rootHost, target: A });
    const { name, value } = domain.verification;
    stack().dns.records.set(name, value);
    expect((await world.api.post(`/domains/${domain.id}/verify`)).status).to.equal(200);
  });

  it('that prefetches gets an error that is not stored, and is not counted', async () => {
    for (const headers of PREFETCHES) {
      const answers = [
        ...['/link', '/link?x=1', '/link+', '/page', '/once', '/code', '/nothing'].map((path) =>
          visit(path, headers),
        ),
        visitHost('/', { host: rootHost, headers }),
      ];
      for (const { status, headers: sent, body } of await Promise.all(answers)) {
        const what = JSON.stringify(headers);
        expect(status, what).to.equal(503);
        expect(sent['cache-control'], what).to.contain('no-store');
        expect(sent['retry-after'], what).to.equal('0');
        expect(JSON.stringify(sent) + body, what).not.to.match(/clandestine|set-cookie|click_id/);
      }
    }
    expect((await visit('/once', {})).headers.location).to.match(/\?click_id=clk_/);
    expect((await visit('/link', {})).headers.location).to.match(/\?click_id=clk_/);
    expect((await visit('/code', {})).headers.location).to.equal(A);
    expect((await visit('/page', {})).status).to.equal(200);
    expect((await visitHost('/', { host: rootHost })).headers.location).to.equal(A);
    await eventually(async () => {
      expect(await counts()).to.deep.equal({ clicks: 3, scans: 1, views: 1 });
    });
  });

  it('that prefetches a form or a file of the service gets it', async () => {
    const headers = { 'sec-purpose': 'prefetch' };
    expect((await visit('/robots.txt', headers)).status).to.equal(200);
    await post('/links', { url: A, key: 'secret', password: 'open sesame' });
    const sent = await visit('/secret', headers, { form: { password: 'open sesame' } });
    expect(sent.status).to.equal(303);
  });

  it('of programs and of pages is redirected without a click id, and is not counted', async () => {
    const all = [...PROGRAMS.map((agent) => ({ 'user-agent': agent })), ...OF_PAGES];
    for (const headers of all) {
      const what = JSON.stringify(headers);
      for (const path of ['/link', '/once', '/code']) {
        const answer = await visit(path, headers);
        expect(answer.status, what).to.equal(302);
        expect(answer.headers.location, what).to.equal(A);
        expect(answer.headers['set-cookie'], what).to.equal(undefined);
      }
      expect((await visit('/page', headers)).status, what).to.equal(200);
      const root = await visitHost('/', {
        host: rootHost,
        headers: { 'user-agent': browser(), ...headers },
      });
      expect(root.headers.location, what).to.equal(A);
    }
    await visit('/once', {});
    await eventually(async () => {
      expect(await counts()).to.deep.equal({ clicks: 1, scans: 0, views: 0 });
    });
  });

  it('of people is counted', async () => {
    for (const headers of PEOPLE) {
      const { headers: sent } = await visit('/link', headers);
      expect(sent.location, JSON.stringify(headers)).to.match(/\?click_id=clk_/);
      expect((await visit('/code', headers)).headers.location).to.equal(A);
    }
    await eventually(async () => {
      const { length } = PEOPLE;
      expect(await counts()).to.deep.equal({ clicks: length, scans: length, views: 0 });
    });
  });

  it('of a pixel in a page is counted', async () => {
    const [domain] = (await world.api.get('/domains')).body.filter(
      ({ slug }: { slug: string }) => slug === world.domain,
    );
    await world.api.patch(`/domains/${domain.id}`, { shlinkPaths: true });
    const image = OF_PAGES[0]!;
    await eventually(async () => {
      expect((await visit('/link/track', image)).headers['content-type']).to.equal('image/gif');
    });
    expect((await visit('/link', image)).status).to.equal(302);
    await eventually(async () => expect((await counts()).clicks).to.equal(1));
  });

  describe('of Office', () => {
    const SHOWN = '<meta http-equiv="refresh" content="0; url=';

    it('gets a page that opens the short link itself, and is not counted', async () => {
      for (const agent of OFFICE) {
        const office = { 'user-agent': agent };
        for (const path of ['/link', '/link?utm_source=a&x=%22', '/once?qr=1', '/code']) {
          const { status, headers, body } = await visit(path, office);
          expect(status, agent).to.equal(200);
          const escaped = path.replaceAll('&', '&amp;');
          expect(body, agent).to.contain(`${SHOWN}${escaped}">`);
          expect(body, agent).to.contain(`href="${escaped}"`);
          expect(headers['cache-control'], agent).to.contain('no-store');
          expect(headers['content-security-policy'], agent).to.contain("script-src 'none'");
          expect(headers['x-robots-tag'], agent).to.equal('noindex');
          expect(JSON.stringify(headers) + body, agent).not.to.match(/clandestine|clk_|set-cookie/);
        }
        const root = await visitHost('/?a=1', { host: rootHost, userAgent: agent });
        expect(root.body, agent).to.contain(`${SHOWN}/?a=1">`);
        const head = await visit('/link', office, { method: 'HEAD' });
        expect([head.status, head.headers.location, head.body]).to.deep.equal([200, undefined, '']);
      }
      await visit('/link', { 'user-agent': browser(9) });
      await eventually(async () => {
        expect(await counts()).to.deep.equal({ clicks: 1, scans: 0, views: 0 });
      });
    });

    it('gets no refresh where its own engine could show the page again and again', async () => {
      const { status, body } = await visit('/link?x=1', { 'user-agent': OFFICE_WITH_ENGINE });
      expect(status).to.equal(200);
      expect(body).not.to.contain('http-equiv');
      expect(body).to.contain('href="/link?x=1"');
    });

    it('gets its page escaped', async () => {
      const { body } = await visit(`/link?q="'><script>alert(1)</script>`, {
        'user-agent': OFFICE[0]!,
      });
      expect(body).to.contain(
        `${SHOWN}/link?q=&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;">`,
      );
      expect(body).not.to.contain('<script>');
    });

    it('gets everything else as other visitors do', async () => {
      const office = { 'user-agent': OFFICE[2]! };
      const past = new Date(Date.now() + 1_000).toISOString();
      const future = '2199-01-01T00:00:00Z';
      await post('/links', { url: A, key: 'secret', password: 'open sesame' });
      await post('/links', { url: A, key: 'later', startsAt: future });
      await post('/links', { url: A, key: 'over', expiresAt: past });
      await post('/links', {
        url: A,
        key: 'over-there',
        expiresAt: past,
        expiredUrl: 'https://example.com/over',
      });
      await post('/links', {
        url: A,
        key: 'own-page',
        preRedirection: true,
        pageUrl: 'https://example.com/own',
      });
      await post('/qrcodes', { type: 'text', text: 'Hello', key: 'text' });
      await visit('/once', { 'user-agent': browser(5) });
      await eventually(async () => expect((await visit('/over', office)).status).to.equal(410));
      const statuses: [path: string, status: number][] = [
        ['/secret', 403],
        ['/later', 404],
        ['/nothing', 404],
        ['/over', 410],
        ['/once', 410],
        ['/over-there', 302],
        ['/page', 200],
        ['/link+', 200],
        ['/text', 200],
        ['/own-page', 200],
      ];
      for (const [path, status] of statuses) {
        const answer = await visit(path, office);
        expect(answer.status, path).to.equal(status);
        expect(answer.body.includes(SHOWN), path).to.equal(path === '/own-page');
        if (path === '/link+') continue;
        expect(JSON.stringify(answer.headers) + answer.body, path).not.to.contain('clandestine');
      }
    });
  });
});

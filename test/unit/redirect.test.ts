import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import express, { type Request } from 'express';
import { asciiUrl } from '../../src/infra/plain-responses.ts';
import { TrustedProxies } from '../../src/infra/trusted-proxies.ts';
import type { LinkEntry } from '../../src/lookup/entry.ts';
import { filePath, readAddress, tidiedPath } from '../../src/redirect/address.ts';
import { normalizeHost, VisitorReader } from '../../src/redirect/visitor.ts';
import { decide, decideForOffice, decideUsedUp, finalUrl } from '../../src/routing/decide.ts';
import type { Facts } from '../../src/routing/facts.ts';
import type { TrafficClass } from '../../src/visitors/traffic.ts';
import { html, notice } from '../../src/web/layout.ts';

/** Encodes a text as Node delivers bytes above 127: one character each. */
const raw = (text: string) => Buffer.from(text).toString('latin1');

describe('the request target', () => {
  const cases: [target: string, key: string | null, query: string][] = [
    ['/', '', ''],
    ['/summer', 'summer', ''],
    ['/summer/', 'summer', ''],
    ['/summer/2026', 'summer/2026', ''],
    ['/Summer?a=1&b=%20', 'Summer', 'a=1&b=%20'],
    ['/?a=1', '', 'a=1'],
    ['/summer?', 'summer', ''],
    ['/summer#top', 'summer', ''],
    ['/summer?a=1#top', 'summer', 'a=1'],
    ['/gr%C3%B6%C3%9Fe', 'größe', ''],
    ['/gro%CC%88%C3%9Fe', 'größe', ''],
    [raw('/größe?q=ö'), 'größe', raw('q=ö')],
    ['/%F0%9F%8E%89', '🎉', ''],
    ['/a%2Fb', 'a/b', ''],
    ['/a%2F', 'a', ''],
    ['http://acme.link/summer?a=1', 'summer', 'a=1'],
    ['http://acme.link', '', ''],
    ['http://acme.link?a=1', '', 'a=1'],
    ['/_', null, ''],
    ['/_/stats', null, ''],
    ['/_stats', '_stats', ''],
    ['/robots.txt', null, ''],
    ['/robots', 'robots', ''],
    ['/favicon.ico', null, ''],
    ['/.well-known/security.txt', null, ''],
    ['/a%00b', null, ''],
    ['/a%20b', null, ''],
    ['/a%0Ab', null, ''],
    [`/${'x'.repeat(381)}`, null, ''],
  ];
  for (const [target, key, query] of cases) {
    it(`reads ${target.slice(0, 40)}`, () => {
      expect(readAddress(target)).to.deep.equal({ asks: 'link', key, query });
    });
  }
  for (const target of ['/100%', '/%zz', '/%C3', '*', 'ftp://acme.link/x', '']) {
    it(`refuses "${target}"`, () => expect(readAddress(target)).to.equal(undefined));
  }
});

describe('what is not part of a link', () => {
  const tidied: [target: string, key: string, query?: string][] = [
    ...Array.from('.,)!;"…。:?’”»', (end): [string, string] => [
      `/a${encodeURIComponent(end)}`,
      'a',
    ]),
    ['/a%20', 'a'],
    ['/a%E2%80%8B', 'a'],
    ['/a%C2%A0', 'a'],
    ['/a%EF%BB%BF', 'a'],
    ['/a...', 'a'],
    ['/a).%20%E2%80%8B', 'a'],
    ['/a/).', 'a'],
    ['//a', 'a'],
    ['///a/b.', 'a/b'],
    ['/%2Fa', 'a'],
    ['/a.?x=1', 'a', 'x=1'],
    ['/a&utm_source=x&b=1', 'a', 'utm_source=x&b=1'],
    ['/a&utm_source=x?y=2', 'a', 'utm_source=x&y=2'],
    ['/a%26utm_source%3Dx%20y', 'a', 'utm_source=x%20y'],
    ['/a%3Futm_source=x', 'a', 'utm_source=x'],
    ['/a%3futm_source%3Dx%26b%3D%2526', 'a', 'utm_source=x&b=%2526'],
    ['/a%3F', 'a'],
    ['/a&b.', 'a&b'],
    ['/%E2%9D%A4.', '❤'],
    [raw('/größe…'), 'größe'],
    ['http://acme.link/summer,', 'summer'],
  ];
  for (const [target, key, query = ''] of tidied) {
    it(`is left out of ${target}`, () => {
      expect(tidiedPath(readAddress(target)!, target)).to.deep.equal({ key, query });
    });
  }

  const nothing = [
    '/',
    '//',
    '/a',
    '/a/',
    '/a&b',
    '/a&b&c',
    '/a.b',
    '/...',
    '/a/..',
    '/a/.%2e',
    '/a%00',
    '/a%20b.',
    '/_/report.',
    '//_/report',
    '//robots.txt',
    '/.well-known/x.',
    '/a+',
    '/_/stats/a.',
    `/${'x'.repeat(400)}.`,
    `/${'x'.repeat(4_000)}.`,
  ];
  for (const target of nothing) {
    it(`is not in ${target.slice(0, 40)}`, () => {
      expect(tidiedPath(readAddress(target)!, target)).to.equal(undefined);
    });
  }

  it('is left out once', () => {
    for (const [target] of tidied) {
      const { key } = tidiedPath(readAddress(target)!, target)!;
      const path = `/${encodeURIComponent(key)}`;
      expect(tidiedPath(readAddress(path)!, path), target).to.equal(undefined);
    }
  });
});

describe('a key that Postgres cannot store', () => {
  for (const key of ['%00', 'r%00x', 'f%00', '.%00', '_%00', 'ab%00c', 'robots.txt%00', 'r%01']) {
    for (const path of [`/${key}`, `/${key}+`, `/_/file/${key}`, `/_/stats/${key}`]) {
      it(`is not looked up: ${path}`, () => expect(readAddress(path)?.key).to.equal(null));
    }
  }
});

describe('the destination of a visitor', () => {
  const cases: [what: string, destination: string, query: string, url: string, via?: string][] = [
    ['no query', 'https://e.com/?b=2#x', '', 'https://e.com/?b=2#x'],
    ['a query to a URL without one', 'https://e.com', 'a=1', 'https://e.com?a=1'],
    ['a query to a URL with one', 'https://e.com/?b=2', 'a=1', 'https://e.com/?b=2&a=1'],
    ['a query before the fragment', 'https://e.com/#f?x', 'a=1', 'https://e.com/?a=1#f?x'],
    ['a query to a URL with an empty one', 'https://e.com/?', 'a=1', 'https://e.com/?a=1'],
    ['the same name', 'https://e.com/?a=0&b=2&a=9', 'a=1', 'https://e.com/?b=2&a=1'],
    ['the same name twice', 'https://e.com/?a=0', 'a=1&a=2', 'https://e.com/?a=1&a=2'],
    ['the same name, encoded', 'https://e.com/?utm_x=0', 'utm%5Fx=1', 'https://e.com/?utm%5Fx=1'],
    ['names that differ in case', 'https://e.com/?A=0', 'a=1', 'https://e.com/?A=0&a=1'],
    [
      'unchanged bytes',
      'https://e.com/?s=%2f+%20',
      't=%7e&u=~',
      'https://e.com/?s=%2f+%20&t=%7e&u=~',
    ],
    ['a stray percent sign', 'https://e.com/?%=0', '%=1', 'https://e.com/?%=1'],
    ['a name without a value', 'https://e.com/?flag&b', 'flag', 'https://e.com/?b&flag'],
    ['the mark of a QR code', 'https://e.com/?b=2', 'qr=1', 'https://e.com/?b=2', 'qr'],
    ['qr=1 among others', 'https://e.com/', 'a=1&qr=1&c', 'https://e.com/?a=1&c', 'qr'],
    ['a value similar to qr=1', 'https://e.com/', 'qr=10', 'https://e.com/?qr=10'],
    ['an app address', 'mailto:a@e.com?subject=x', 'subject=y', 'mailto:a@e.com?subject=x'],
    ['an app address from a QR code', 'tel:+49301', 'qr=1', 'tel:+49301', 'qr'],
    ['only ampersands', 'https://e.com/', '&&', 'https://e.com/'],
  ];
  for (const [what, destination, query, url, via = 'link'] of cases) {
    it(what, () => expect(finalUrl(destination, query)).to.deep.equal({ url, via }));
  }
});

describe('the decision', () => {
  const now = 1_000_000;
  const domain = { id: 'dom_1', projectId: 'proj_a' };
  const link: LinkEntry = { id: 'link_1', projectId: 'proj_a', destination: 'https://e.com/' };
  const visited = { projectId: 'proj_a', linkId: 'link_1' };
  const facts = (some: Partial<Facts> = {}): Facts => ({
    now,
    asks: 'link',
    host: 'd.com',
    isRoot: false,
    path: 'key',
    query: '',
    accept: '',
    languages: '',
    rest: '',
    isSecure: true,
    isCrawler: false,
    isOffice: false,
    platform: undefined,
    traits: {
      country: 'DE',
      city: 'Berlin',
      device: 'Desktop',
      os: 'Linux',
      browser: 'Firefox',
      language: 'de-de',
    },
    placeIn: () => 0,
    isUnlocked: false,
    page: undefined,
    passed: 'no',
    queryConflict: 'visitor',
    clickId: undefined,
    clickIdParameter: 'click_id',
    ...some,
  });
  const page = { id: 'page_1', projectId: 'proj_a', title: 'Before' };
  const FIELD = { name: 'n', label: 'Name', type: 'text' as const, required: true };
  const kindOf = (entry: Partial<LinkEntry>, some?: Partial<Facts>) =>
    decide({ domain, link: { ...link, ...entry } }, facts(some)).kind;

  it('redirects to the destination, and counts for the link', () => {
    expect(decide({ domain, link }, facts({ query: 'a=1' }))).to.deep.equal({
      kind: 'redirect',
      status: 302,
      destination: 'https://e.com/?a=1',
      via: 'link',
      visited,
    });
  });

  // The link has every feature at once; the test removes one after another, and the next in order
  // decides.
  const everything: LinkEntry = {
    ...link,
    startsAt: now + 1,
    expiresAt: now,
    passwordHash: '$argon2id$x',
    card: { title: 'Card' },
    before: { pageId: 'page_1' },
    rules: [{ when: { country: ['de'] }, url: 'https://rule.com/' }],
    ios: 'https://ios.com/',
    geo: { DE: 'https://geo.com/' },
    framed: ['https://e.com/'],
  };
  it('checks in the documented order', () => {
    const some = facts({ isCrawler: true, page, platform: 'ios' });
    const seen: string[] = [];
    const entry: Partial<LinkEntry> = { ...everything };
    for (const taken of [
      'startsAt',
      'expiresAt',
      'passwordHash',
      'card',
      'before',
      'rules',
      'ios',
      'geo',
      'framed',
    ] as const) {
      const decision = decide({ domain, link: entry as LinkEntry }, some);
      seen.push(
        'destination' in decision ? `${decision.kind} ${decision.destination}` : decision.kind,
      );
      delete entry[taken];
    }
    seen.push(decide({ domain, link: entry as LinkEntry }, some).kind);
    expect(seen).to.deep.equal([
      'notStarted',
      'expired',
      'password',
      'card https://e.com/',
      'before',
      'redirect https://rule.com/',
      'redirect https://ios.com/',
      'redirect https://geo.com/',
      'frame https://e.com/',
      'redirect',
    ]);
  });

  const kinds: [what: string, entry: Partial<LinkEntry>, some: Partial<Facts>, kind: string][] = [
    ['redirects from the millisecond of its start', { startsAt: now }, {}, 'redirect'],
    ['expires at the millisecond of its end', { expiresAt: now }, {}, 'expired'],
    ['redirects until the millisecond before its end', { expiresAt: now + 1 }, {}, 'redirect'],
    ['redirects after the right password', { passwordHash: 'x' }, { isUnlocked: true }, 'redirect'],
    [
      'hides its preview behind the password',
      { passwordHash: 'x' },
      { asks: 'preview' },
      'password',
    ],
    [
      'hides its crawler preview behind the password',
      { passwordHash: 'x', card: { title: 'T' } },
      { isCrawler: true },
      'password',
    ],
    ['shows its preview', {}, { asks: 'preview' }, 'preview'],
    ['shows its crawler preview to crawlers only', { card: { title: 'T' } }, {}, 'redirect'],
    ['skips a deleted page', { before: { pageId: 'page_1' } }, {}, 'redirect'],
    [
      'redirects after the page was shown',
      { before: { pageId: 'page_1' } },
      { page, passed: 'seen' },
      'redirect',
    ],
    ['redirects to the owner’s page', { before: { url: 'https://p.com/' } }, {}, 'ownersPage'],
    [
      'requires the owner’s form to be filled in',
      { before: { url: 'https://p.com/' }, isFormMandatory: true },
      { passed: 'seen' },
      'ownersPage',
    ],
    ...(['preview', 'link'] as const).flatMap((asks): typeof kinds => [
      [
        `hides its destination behind a mandatory form: ${asks}`,
        { before: { pageId: 'page_1' }, isFormMandatory: true, card: { title: 'T' } },
        { asks, page: { ...page, fields: [FIELD] }, isCrawler: true },
        'before',
      ],
      [
        `hides it behind the owner’s form: ${asks}`,
        { before: { url: 'https://p.com/' }, isFormMandatory: true, card: { title: 'T' } },
        { asks, isCrawler: true },
        'ownersPage',
      ],
      [
        `shows it after the form was filled in: ${asks}`,
        { before: { pageId: 'page_1' }, isFormMandatory: true },
        { asks, page: { ...page, fields: [FIELD] }, passed: 'submitted' },
        asks === 'link' ? 'redirect' : 'preview',
      ],
    ]),
    [
      'redirects after a page without fields',
      { before: { pageId: 'page_1' }, isFormMandatory: true },
      { page, passed: 'seen' },
      'redirect',
    ],
    [
      'does not frame http in https',
      { destination: 'http://e.com/', framed: ['http://e.com/'] },
      {},
      'redirect',
    ],
    [
      'frames http in http',
      { destination: 'http://e.com/', framed: ['http://e.com/'] },
      { isSecure: false },
      'frame',
    ],
  ];
  for (const [what, entry, some, kind] of kinds) {
    it(what, () => expect(kindOf(entry, some)).to.equal(kind));
  }

  it('redirects to the expired URL of the link, else of its domain, uncounted', () => {
    const expired = { ...link, expiresAt: 1 };
    const withUrl = { ...domain, expiredUrl: 'https://d.com/' };
    const own = { ...expired, expiredUrl: 'https://l.com/' };
    const elsewhere = { kind: 'otherUrl', reason: 'expired' };
    const query = facts({ query: 'a=1' });
    expect(decide({ domain: withUrl, link: own }, query)).to.deep.equal({
      ...elsewhere,
      destination: 'https://l.com/',
    });
    expect(decide({ domain: withUrl, link: expired }, query)).to.deep.equal({
      ...elsewhere,
      destination: 'https://d.com/',
    });
  });

  it('treats a link without remaining visits as expired', () => {
    const usedUp = (entry: Partial<LinkEntry>) => {
      const limited = { ...link, ...entry, maxVisits: 1 };
      return decideUsedUp(decide({ domain, link: limited }, facts()), limited, domain);
    };
    expect(usedUp({})).to.deep.equal({ kind: 'expired' });
    expect(usedUp({ passwordHash: 'x' })).to.deep.equal({ kind: 'expired' });
    expect(usedUp({ expiredUrl: 'https://l.com/' })).to.deep.equal({
      kind: 'otherUrl',
      reason: 'expired',
      destination: 'https://l.com/',
    });
    expect(usedUp({ startsAt: now + 1 })).to.deep.equal({ kind: 'notStarted', startsAt: now + 1 });
  });

  it('shows public statistics, and redirects from outdated URLs of pages', () => {
    const stats = facts({ asks: 'stats' });
    const shown = { ...link, hasPublicStats: true as const };
    expect(decide({ domain, link: shown }, stats)).to.deep.equal({ kind: 'stats' });
    for (const hidden of [link, null]) {
      expect(decide({ domain, link: hidden }, stats)).to.deep.equal({ kind: 'notFound' });
    }
    const outdated = facts({ asks: 'continue', passed: 'outdated' });
    expect(decide({ domain, link }, outdated)).to.deep.equal({ kind: 'restart' });
  });

  const forOffice: [what: string, entry: Partial<LinkEntry>, kind: string][] = [
    ['a page instead of the redirect', {}, 'office'],
    ['a page instead of the owner’s page', { before: { url: 'https://p.com/' } }, 'office'],
    ['the frame', { framed: ['https://e.com/'] }, 'frame'],
    ['the question for the password', { passwordHash: 'x' }, 'password'],
    ['the page of a link that has not started', { startsAt: now + 1 }, 'notStarted'],
    ['the page of an expired link', { expiresAt: 1 }, 'expired'],
    ['the other URL of one', { expiresAt: 1, expiredUrl: 'https://l.com/' }, 'otherUrl'],
  ];
  for (const [what, entry, kind] of forOffice) {
    it(`shows Office ${what}`, () => {
      const office = facts({ isOffice: true });
      const decision = decide({ domain, link: { ...link, ...entry } }, office);
      expect(decideForOffice(decision, office).kind).to.equal(kind);
      expect(decideForOffice(decision, facts())).to.equal(decision);
    });
  }

  it('redirects from the root of a domain to its target, and counts for its workspace', () => {
    const root = decide(
      { domain: { ...domain, target: 'https://t.com/' }, link: null },
      facts({ isRoot: true, query: 'qr=1' }),
    );
    expect(root).to.deep.include({
      destination: 'https://t.com/',
      via: 'qr',
      visited: { projectId: 'proj_a', linkId: '' },
    });
    expect(decide({ domain, link: null }, facts({ isRoot: true }))).to.deep.equal({
      kind: 'notFound',
    });
    expect(
      decide(
        { domain: { id: 'dom_0', projectId: '', target: 'https://t.com/' }, link: null },
        facts({ isRoot: true }),
      ),
    ).to.include({
      visited: undefined,
    });
  });
});

describe('the visitor', () => {
  const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0';
  const read = (
    headers: Record<string, string>,
    peer = '10.0.0.1',
    proxies: number | string[] = ['10.0.0.0/8', '::1'],
  ) =>
    new VisitorReader(new TrustedProxies(proxies)).read({
      headers,
      socket: { remoteAddress: peer },
    } as unknown as IncomingMessage);

  const addresses: [what: string, peer: string, forwarded: string | undefined, ip: string][] = [
    ['the peer itself', '203.0.113.5', undefined, '203.0.113.5'],
    ['an IPv4 peer on an IPv6 socket', '::ffff:203.0.113.5', undefined, '203.0.113.5'],
    ['a peer that is not a trusted proxy', '203.0.113.5', '1.2.3.4', '203.0.113.5'],
    ['the address sent by a proxy', '10.0.0.1', '203.0.113.7', '203.0.113.7'],
    [
      'the right-most that is no proxy',
      '10.0.0.1',
      '6.6.6.6, 203.0.113.7, 10.1.1.1',
      '203.0.113.7',
    ],
    ['an IPv6 visitor behind an IPv6 proxy', '::1', '2001:db8::7', '2001:db8::7'],
    ['an address with a port', '10.0.0.1', '203.0.113.7:4711', '203.0.113.7'],
    ['an IPv6 address with a port', '10.0.0.1', '[2001:db8::7]:4711', '2001:db8::7'],
    ['the proxy for an invalid address', '10.0.0.1', '6.6.6.6, unknown', '10.0.0.1'],
    ['the left-most where all are proxies', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['no octet above 255', '10.0.0.1', '300.0.0.1', '10.0.0.1'],
  ];
  for (const [what, peer, forwarded, ip] of addresses) {
    it(`reads ${what}`, () => {
      const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
      expect(read(headers, peer).ip).to.equal(ip);
    });
  }

  const chains: [proxies: number | string[], peer: string, forwarded: string, ip: string][] = [
    [['loopback'], '127.0.0.1', '1.1.1.1, 203.0.113.7', '203.0.113.7'],
    [['loopback'], '::1', '203.0.113.7', '203.0.113.7'],
    [['loopback'], '10.0.0.1', '203.0.113.7', '10.0.0.1'],
    [['linklocal'], 'fe80::1', '203.0.113.7', '203.0.113.7'],
    [['linklocal'], '169.254.3.4', '203.0.113.7', '203.0.113.7'],
    [['uniquelocal'], '172.17.0.1', '203.0.113.7, 10.9.9.9, 192.168.1.1', '203.0.113.7'],
    [['uniquelocal'], '172.32.0.1', '203.0.113.7', '172.32.0.1'],
    [['uniquelocal'], 'fd00::2', '203.0.113.7', '203.0.113.7'],
    [
      ['loopback', 'uniquelocal', '198.51.100.0/24'],
      '::ffff:127.0.0.1',
      '6.6.6.6, 198.51.100.4, 10.0.0.9',
      '6.6.6.6',
    ],
    [0, '10.0.0.1', '203.0.113.7', '10.0.0.1'],
    [1, '10.0.0.1', '203.0.113.7', '203.0.113.7'],
    [1, '10.0.0.1', '6.6.6.6, 203.0.113.7', '203.0.113.7'],
    [2, '10.0.0.1', '6.6.6.6, 203.0.113.7, 10.0.0.2', '203.0.113.7'],
    [5, '10.0.0.1', '6.6.6.6, 203.0.113.7', '6.6.6.6'],
  ];
  for (const [proxies, peer, forwarded, ip] of chains) {
    it(`trusts ${String(proxies)} as Express does: ${forwarded}, ${peer}`, () => {
      const headers = { 'x-forwarded-for': forwarded };
      const app = express().set('trust proxy', proxies);
      const request = Object.assign(Object.create(app.request) as Request, { headers });
      Object.defineProperty(request, 'socket', { value: { remoteAddress: peer } });
      expect(request.ip).to.equal(ip);
      expect(read(headers, peer, proxies).ip).to.equal(ip);
    });
  }

  const agents: [agent: string, traffic: TrafficClass][] = [
    [BROWSER, 'person'],
    ['', 'bot'],
    ['curl/8.5.0', 'bot'],
    ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'bot'],
    ['WhatsApp/2.23.20.0 A', 'preview'],
    ['Mozilla/5.0 (Linux; Android 12; CUBOT NOTE 20) Chrome/110 Mobile Safari/537.36', 'person'],
    [`${BROWSER} ${'x'.repeat(5_000)}`, 'person'],
  ];
  for (const [agent, traffic] of agents) {
    it(`reads "${agent.slice(0, 40)}" as ${traffic}`, () => {
      expect(read({ 'user-agent': agent }).traffic.class).to.equal(traffic);
    });
  }

  it('is a bot on a connection that was reset', () => {
    expect(read({ 'user-agent': BROWSER }, '').traffic).to.deep.equal({
      class: 'bot',
      reason: 'reset',
    });
  });

  it('is Office unless a browser sends its user agent', () => {
    const office = { 'user-agent': 'Microsoft Office Word 2014' };
    expect(read(office).isOffice).to.equal(true);
    expect(read({ ...office, 'upgrade-insecure-requests': '1' }).isOffice).to.equal(false);
    expect(read({ 'user-agent': BROWSER }).isOffice).to.equal(false);
  });

  const hosts: [header: string, host: string][] = [
    ['acme.link', 'acme.link'],
    ['ACME.link:8080', 'acme.link'],
    ['acme.link.', 'acme.link'],
    ['acme.link.:80', 'acme.link'],
    ['[2001:DB8::1]:3001', '2001:db8::1'],
    ['127.0.0.1:3001', '127.0.0.1'],
    ['[::1', ''],
    ['', ''],
    ['x'.repeat(254), ''],
  ];
  for (const [header, host] of hosts) {
    it(`reads the host "${header.slice(0, 20)}"`, () =>
      expect(normalizeHost(header)).to.equal(host));
  }
});

describe('escaping', () => {
  it('covers all text in a page', () => {
    const inner = html`<b>${'<i>'}</b>`;
    expect(html`<a title="${`"'&<>`}">${inner}</a>`.text).to.equal(
      '<a title="&quot;&#39;&amp;&lt;&gt;"><b>&lt;i&gt;</b></a>',
    );
  });

  it('leaves the length of a page in bytes right', () => {
    const { headers, body } = notice(404, { language: 'en', title: 'ö', text: '日本' });
    expect(headers[headers.indexOf('Content-Length') + 1]).to.equal(String(body.length));
  });

  it('covers exactly the characters that a header cannot contain', () => {
    expect(asciiUrl('https://e.com/ö?a=%20b\r\nX: 1')).to.equal(
      'https://e.com/%C3%B6?a=%20b%0D%0AX:%201',
    );
  });
});

describe('the path of a file', () => {
  it('is below a reserved name, before the key', () => {
    expect(readAddress('/_/file/gr%C3%B6%C3%9Fe')).to.deep.equal({
      asks: 'file',
      key: 'größe',
      query: '',
    });
    expect(readAddress('/_/file/_/file/a')?.key).to.equal(null);
    expect(readAddress('/_/file/')?.key).to.equal(null);
    expect(filePath('a/größe')).to.equal('/_/file/a/gr%C3%B6%C3%9Fe');
  });
});

describe('request paths', () => {
  const cases: [target: string, asks: string, key: string | null, token?: string][] = [
    ['/summer+', 'preview', 'summer'],
    ['/gr%C3%B6%C3%9Fe%2B', 'preview', 'größe'],
    ['/summer+/', 'preview', 'summer'],
    ['/+', 'preview', null],
    ['/_/stats/a/b', 'stats', 'a/b'],
    ['/_/continue/t.o.k/a/b', 'continue', 'a/b', 't.o.k'],
    ['/_/continue/token', 'link', null],
    ['/_/continue/', 'link', null],
    ['/_/else', 'link', null],
  ];
  for (const [target, asks, key, token] of cases) {
    it(`${target} requests ${asks}`, () =>
      expect(readAddress(`${target}?a=1`)).to.deep.equal({
        asks,
        key,
        query: 'a=1',
        ...(token === undefined ? {} : { token }),
      }));
  }
});

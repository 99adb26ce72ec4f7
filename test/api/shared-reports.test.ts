import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { JSDOM } from 'jsdom';
import type { GroupName } from '../../src/events/query/groups/index.ts';
import { eventsStore } from '../../src/events/store/index.ts';
import { db } from '../../src/infra/db.ts';
import { listIn, SHOWN_GROUPS } from '../../src/reports/groups.ts';
import type { ApiAnswer } from '../support/client.ts';
import { anEvent } from '../support/events.ts';
import { aPerson } from '../support/people.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

const SECRET = 'https://secret.example.com/hidden-path';
const PERIOD = 'start=2026-03-01&end=2026-03-31';
const COUNTRIES = ['DE', 'FR', 'JP', 'US', 'Unknown'];
const REFERERS = ['(direct)', 'news.example', 'google.com', '=cmd|"/c calc"!A1'];

interface Opened {
  status: number;
  headers: Headers;
  body: string;
}

/** Each request comes from another address, since addresses are limited. */
let visitors = 0;
const newAddress = () => {
  visitors += 1;
  return `10.77.${Math.floor(visitors / 250)}.${visitors % 250}`;
};

interface OpenOptions {
  query?: string;
  headers?: Record<string, string>;
  password?: string;
}

/** Opens a report as a reader does, without following redirects. */
async function open(url: string, { query = '', headers, password }: OpenOptions = {}) {
  const response = await fetch(stack().apiUrl + new URL(url).pathname + query, {
    headers: { 'x-forwarded-for': newAddress(), ...headers },
    redirect: 'manual',
    ...(password !== undefined && {
      method: 'POST',
      body: new URLSearchParams({ password }),
    }),
  });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

const wordsOf = ({ body }: Opened): string =>
  new JSDOM(body).window.document.querySelector('main')!.textContent.replaceAll(/\s+/g, ' ').trim();

const policyOf = ({ headers }: Opened): string => headers.get('content-security-policy')!;

const cookieOf = ({ headers }: Opened): string => headers.get('set-cookie')!.split(';')[0]!;

/** The rows of a report's file, without its heading. */
async function rowsOf(url: string): Promise<string[][]> {
  const { status, body } = await open(url, { query: '?format=csv' });
  expect(status, body).to.equal(200);
  return (parse(body, { bom: true }) as string[][]).slice(1);
}

describe('shared reports', () => {
  let world: World;
  let tagId: string;
  let folderId: string;
  let linkIds: string[];

  before(async () => {
    world = await aWorkspace();
    const { api, projectId, domain } = world;
    tagId = (await api.post('/tags', { name: 'Spring' })).body.id;
    folderId = (await api.post('/folders', { name: 'Print' })).body.id;
    linkIds = [];
    for (const key of ['one', 'two', 'three']) {
      const labels = key === 'three' ? {} : { tagIds: [tagId], folderId };
      const { body } = await api.post('/links', { url: `${SECRET}?k=${key}`, key, ...labels });
      linkIds.push(body.id);
    }
    const { body: code } = await api.post('/qrcodes', { type: 'url', url: SECRET, key: 'code' });
    const events = Array.from({ length: 120 }, (_, at) => {
      const isScan = at % 7 === 0;
      const record = isScan ? code : { id: linkIds[at % 3], key: ['one', 'two', 'three'][at % 3] };
      return anEvent(projectId, {
        id: `evt_${projectId}_${at}`,
        event: isScan ? 'scan' : 'click',
        link_id: record.id,
        key: record.key,
        domain,
        url: `${SECRET}?utm_source=${at % 2 === 0 ? 'mail' : 'Post'}`,
        country: COUNTRIES[at % 5]!,
        city: ['Berlin', 'Paris', '', 'Springfield, North'][at % 4]!,
        device: ['Desktop', 'Mobile', 'Tablet'][at % 3]!,
        browser: ['Chrome', 'Safari'][at % 2]!,
        referer: REFERERS[at % 4]!,
        referer_url: REFERERS[at % 4]!,
        occurred_at: new Date(Date.UTC(2026, 2, 1 + (at % 30), at % 24)).toISOString(),
      });
    });
    await db().transaction((trx) => eventsStore().append(trx, events));
  });

  async function share(body: object = {}): Promise<ApiAnswer['body']> {
    const made = await world.api.post('/reports', { name: 'Campaign', query: PERIOD, ...body });
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    return made.body;
  }

  afterEach(async () => {
    const { body } = await world.api.get('/reports');
    for (const { id } of body) await world.api.delete(`/reports/${id}`);
  });

  it('are created, listed, changed and deleted', async () => {
    const { api } = world;
    const report = await share();
    expect(report).to.deep.equal({
      id: report.id,
      name: 'Campaign',
      query: PERIOD,
      groups: ['countries', 'sources', 'devices', 'browsers'],
      url: report.url,
      hasPassword: false,
      expiresAt: null,
      embedOrigins: [],
      schedule: null,
      nextMailAt: null,
      createdAt: report.createdAt,
    });
    // 256 bits.
    expect(report.url).to.match(/\/shared\/[\w-]{43}$/);
    const path = `/reports/${report.id}`;
    expect((await api.get('/reports')).body).to.deep.equal([report]);
    expect((await api.get(path)).body).to.deep.equal(report);
    const changes = {
      name: 'Autumn',
      groups: ['cities'],
      embedOrigins: ['https://www.example.com'],
      expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
    };
    const changed = await api.patch(path, { ...changes, password: 'secret' });
    expect(changed.body).to.deep.equal({ ...report, ...changes, hasPassword: true });
    expect((await api.patch(path, { password: null, expiresAt: null })).body).to.include({
      hasPassword: false,
      expiresAt: null,
      url: report.url,
    });
    expect((await api.delete(path)).body).to.deep.equal({ id: report.id });
    for (const answer of [
      await api.get(path),
      await api.patch(path, { name: 'x' }),
      await api.post(`${path}/rotate`),
      await api.delete(path),
    ]) {
      expect([answer.status, answer.body.error.message]).to.deep.equal([
        404,
        `There is no shared report "${report.id}"`,
      ]);
    }
    expect((await open(report.url)).status).to.equal(404);
  });

  it('show their numbers to anyone with the URL, and nothing else', async () => {
    const { url } = await share({
      name: 'Spring <b>campaign</b>',
      query: `${PERIOD}&timezone=Europe/Berlin&tagId=${tagId}`,
      groups: ['countries', 'cities', 'top_links', 'top_tags', 'top_folders', 'utm_sources'],
    });
    const opened = await open(url);
    expect(opened.status).to.equal(200);
    const words = wordsOf(opened);
    for (const part of [
      'Spring <b>campaign</b>',
      'Mar 1 – 31, 2026',
      'Clicks',
      'Visitors',
      'Germany',
      'Berlin, Germany',
      `${world.domain}/one`,
      'Spring',
      'Print',
      'utm_source',
      'Times are in Europe/Berlin.',
      'IP Geolocation by DB-IP',
    ]) {
      expect(words).to.contain(part);
    }
    for (const query of ['', '?format=csv']) {
      const { body } = await open(url, { query });
      expect(body).not.to.match(/secret|hidden-path|(?:link|qr|tag|fold|shr|proj)_\w{10}/);
      expect(body).not.to.contain(`${world.domain}/three`);
    }
    const { headers } = opened;
    expect(headers.get('cache-control')).to.equal('private, no-store');
    expect(headers.get('x-robots-tag')).to.equal('noindex');
    expect(headers.get('referrer-policy')).to.equal('no-referrer');
    expect(policyOf(opened)).to.match(
      /^default-src 'none'; style-src 'sha256-\S+'; script-src 'sha256-\S+'; img-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'$/,
    );
    const { document } = new JSDOM(opened.body).window;
    expect(document.querySelectorAll('[src],link,style:not(head style)')).to.have.length(0);
    expect(document.querySelectorAll('.chart .bars rect').length).to.be.above(10);
  });

  it('show destinations only in the list of destinations', async () => {
    const { url } = await share({ groups: ['top_urls'] });
    expect(wordsOf(await open(url))).to.contain('secret.example.com/hidden-path');
  });

  it('show lists with values although their totals are 0', async () => {
    const only = `${PERIOD}&domain=${world.domain}&key=code`;
    const { url } = await share({ query: only, groups: ['top_qrcodes', 'cities'] });
    const rows = await rowsOf(url);
    expect(rows.find(([group]) => group === 'total')).to.deep.equal(['total', '', 'clicks', '0']);
    expect(rows.some(([group]) => group === 'top_qrcodes')).to.equal(true);
    const words = wordsOf(await open(url));
    expect(words).to.contain(`${world.domain}/code`).and.to.contain('Clicks0');
    expect(words).not.to.contain('No events in this period yet.');
  });

  it('answer the question of their owner, whatever the request asks', async () => {
    const { url } = await share({ query: `${PERIOD}&linkId=${linkIds[0]}`, groups: ['countries'] });
    const rows = await rowsOf(url);
    for (const query of [
      '?format=csv&interval=all',
      `?format=csv&linkId=${linkIds[2]}&groupBy=top_urls&groups=top_urls`,
      '?format=csv&country=DE&event=scans&start=2020-01-01&timezone=Asia/Tokyo',
      '?query=&format=csv&exclude=linkId',
    ]) {
      const { body } = await open(url, { query });
      expect((parse(body, { bom: true }) as string[][]).slice(1), query).to.deep.equal(rows);
    }
  });

  it('follow new events within seconds', async () => {
    const { url, id } = await share({ query: 'interval=7d', groups: [] });
    expect(wordsOf(await open(url))).to.contain('No events in this period yet.');
    const now = { occurred_at: new Date().toISOString(), link_id: linkIds[2]! };
    const event = anEvent(world.projectId, { id: `evt_${id}`, ...now });
    await db().transaction((trx) => eventsStore().append(trx, [event]));
    // Another question is not answered from the numbers of the last seconds.
    await world.api.patch(`/reports/${id}`, { query: 'interval=7d&event=clicks' });
    expect(wordsOf(await open(url))).to.contain('Clicks1');
    await world.api.post(`/links/${linkIds[2]}/reset`);
  });

  it('have the numbers of analytics for the same question', async () => {
    const some = <Value>(values: readonly Value[], max: number) =>
      fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: max });
    const filters = fc.record(
      {
        country: some(COUNTRIES, 3),
        device: some(['Desktop', 'Mobile'], 2),
        browser: some(['Chrome', 'Safari'], 1),
        city: some(['berlin', 'PARIS', 'Springfield, North'], 2),
        source: some(['(direct)', 'Google'], 2),
        utm_source: some(['MAIL', 'post'], 1),
        linkId: some(linkIds, 3),
        tagId: fc.constant([tagId]),
        folderId: fc.constant([folderId]),
        traffic: some(['all', 'person'], 1),
        type: some(['link', 'qr'], 1),
        event: some(['clicks', 'scans', 'composite', 'sales'], 1),
      },
      { requiredKeys: [] },
    );
    const period = fc.constantFrom(
      PERIOD,
      'interval=all',
      'interval=1y',
      'start=2026-03-05&end=2026-03-06',
      'start=2026-03-05T10:00:00Z&end=2026-03-05T11:30:00Z',
      'end=2026-03-20',
    );
    const timezone = fc.constantFrom('UTC', 'Asia/Kathmandu', 'America/St_Johns');
    const excluded = fc.constantFrom(undefined, 'country', 'tagId', 'city');
    const groups = fc.uniqueArray(fc.constantFrom(...SHOWN_GROUPS), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(filters, period, timezone, excluded, groups, async (...parts) => {
        const [chosen, span, zone, exclude, lists] = parts;
        const parameters = new URLSearchParams(span);
        parameters.set('timezone', zone);
        for (const [name, values] of Object.entries(chosen)) {
          for (const value of values) parameters.append(name, value);
        }
        if (exclude !== undefined && exclude in chosen) parameters.set('exclude', exclude);
        const query = parameters.toString();
        const { id, url } = await share({ query, groups: lists });
        expect(await rowsOf(url)).to.deep.equal(await expectedRows(query, lists));
        await world.api.delete(`/reports/${id}`);
      }),
      { numRuns: 25 },
    );
  });

  /** The rows that `GET /analytics` gives for a question. */
  async function expectedRows(query: string, groups: readonly GroupName[]): Promise<string[][]> {
    const ask = async (groupBy: string) => {
      const { status, body } = await world.api.get(`/analytics?${query}&groupBy=${groupBy}`);
      expect(status, JSON.stringify(body)).to.equal(200);
      return body as Record<string, string | number>[];
    };
    const numbers = (group: string, value: string, row: Record<string, unknown>) =>
      Object.entries(row).flatMap(([name, number]) =>
        typeof number === 'number' ? [[group, value, name, String(number)]] : [],
      );
    const event = new URLSearchParams(query).get('event') ?? 'clicks';
    const [totals, times, ...lists] = await Promise.all([
      ask(event),
      ask('timeseries'),
      ...groups.map(ask),
    ]);
    const guarded = (text: string) => (text.startsWith('=') ? `'${text}` : text);
    return [
      ...numbers('total', '', totals as unknown as Record<string, number>),
      ...times.flatMap((row) => numbers('time', String(row['start']), row)),
      ...lists.flatMap((rows, at) =>
        rows.flatMap((row) => {
          const group = groups[at]!;
          return numbers(group, guarded(listIn(group).valueOf(row)), row);
        }),
      ),
    ];
  }

  it('are locked by a password, whose cookie opens this report only', async () => {
    const { id, url } = await share({ password: 'ünlock me' });
    const { url: other } = await share({ password: 'ünlock me' });
    for (const query of ['', '?format=csv']) {
      const asked = await open(url, { query });
      expect(asked.status).to.equal(403);
      expect(wordsOf(asked)).to.contain('Enter the password to open this report.');
      expect(asked.body).not.to.match(/Germany|Campaign/);
    }
    const wrong = await open(url, { password: 'unlock me' });
    expect([wrong.status, wrong.headers.get('set-cookie')]).to.deep.equal([403, null]);
    expect(wordsOf(wrong)).to.contain('This password is not right.');
    // In another form of Unicode.
    const right = await open(url, { password: 'ünlock me'.normalize('NFD') });
    expect([right.status, right.headers.get('location')]).to.deep.equal([
      303,
      new URL(url).pathname,
    ]);
    expect(right.headers.get('set-cookie')).to.match(
      /^unlock_\w{64}=\S+; Max-Age=3600; Path=\/shared; HttpOnly; SameSite=Lax$/,
    );
    const headers = { cookie: cookieOf(right) };
    expect(wordsOf(await open(url, { headers }))).to.contain('Germany');
    expect((await open(url, { headers, query: '?format=csv' })).status).to.equal(200);
    expect((await open(url, { headers, password: 'again' })).status).to.equal(303);
    expect((await open(other, { headers })).status).to.equal(403);
    expect((await open(url, { headers: { cookie: `${headers.cookie}x` } })).status).to.equal(403);
    await world.api.patch(`/reports/${id}`, { password: 'another' });
    expect((await open(url, { headers })).status).to.equal(403);
    await world.api.patch(`/reports/${id}`, { password: null });
    expect((await open(url)).status).to.equal(200);
  });

  it('limit attempts at a password', async () => {
    const { url } = await share({ password: 'secret' });
    const headers = { 'x-forwarded-for': newAddress() };
    const statuses: number[] = [];
    for (let n = 0; n < 6; n += 1) {
      statuses.push((await open(url, { headers, password: `wrong ${n}` })).status);
    }
    expect(statuses).to.deep.equal([403, 403, 403, 403, 403, 429]);
    const tooMany = await open(url, { headers, password: 'secret' });
    expect(tooMany.status).to.equal(429);
    expect(Number(tooMany.headers.get('retry-after'))).to.be.within(1, 60);
    expect((await open(url, { password: 'secret' })).status).to.equal(303);
  });

  it('refuse what is not a form', async () => {
    const { url } = await share({ password: 'secret' });
    const { pathname } = new URL(url);
    const send = (body: string, type: string) =>
      fetch(stack().apiUrl + pathname, {
        method: 'POST',
        headers: { 'content-type': type, 'x-forwarded-for': newAddress() },
        body,
      });
    expect((await send('{"password":"secret"}', 'application/json')).status).to.equal(400);
    const form = 'application/x-www-form-urlencoded';
    expect((await send(`password=${'a'.repeat(20_000)}`, form)).status).to.equal(400);
    expect((await send('password=a&password=secret', form)).status).to.equal(403);
    expect((await send('password=%E0%A4', form)).status).to.equal(400);
    expect((await send('', form)).status).to.equal(403);
  });

  it('get a new URL, and the previous one is revoked at once', async () => {
    const { id, url } = await share();
    expect((await open(url)).status).to.equal(200);
    const { status, body } = await world.api.post(`/reports/${id}/rotate`);
    expect(status).to.equal(200);
    expect(body.url).not.to.equal(url);
    expect((await open(url)).status).to.equal(404);
    expect((await open(body.url)).status).to.equal(200);
    expect((await world.api.get(`/reports/${id}`)).body).to.deep.equal(body);
  });

  it('answer every other URL alike', async () => {
    const { url } = await share();
    const { pathname } = new URL(url);
    const bodies = new Set<string>();
    for (const path of [
      '/shared/nothing',
      `${pathname}x`,
      pathname.slice(0, -1),
      pathname.toUpperCase().replace('/SHARED', '/shared'),
      '/shared/%00',
      `/shared/${'a'.repeat(5_000)}`,
    ]) {
      const { status, body } = await open(`http://localhost${path}`);
      expect(status, path).to.equal(404);
      bodies.add(body);
    }
    expect(bodies.size).to.equal(1);
    expect((await open('http://localhost/shared/%E0%A4')).status).to.equal(400);
  });

  it('expire', async () => {
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const { id, url } = await share({ expiresAt: soon, password: 'secret' });
    await db()('shared_reports').where({ id }).update({ expires_at: new Date() });
    for (const options of [{}, { query: '?format=csv' }, { password: 'secret' }]) {
      const opened = await open(url, options);
      expect(opened.status).to.equal(410);
      expect(wordsOf(opened)).to.contain('This report is no longer available.');
    }
    await world.api.patch(`/reports/${id}`, { expiresAt: null, password: null });
    expect((await open(url)).status).to.equal(200);
  });

  it('show no numbers once something in their filters is deleted', async () => {
    const { api } = world;
    const tag = (await api.post('/tags', { name: 'Gone' })).body.id;
    const folder = (await api.post('/folders', { name: 'Gone' })).body.id;
    const link = (await api.post('/links', { url: SECRET, key: 'gone' })).body.id;
    const queries = [
      `tagId=${tag}`,
      `tagId=${tagId},${tag}`,
      `tagId=${tag}&exclude=tagId`,
      `folderId=${folder}`,
      `linkId=${link}`,
    ];
    const urls: string[] = [];
    for (const query of queries) {
      const { url } = await share({ query: `${PERIOD}&${query}` });
      expect((await open(url)).status).to.equal(200);
      urls.push(url);
    }
    await api.delete(`/tags/${tag}`);
    await api.delete(`/folders/${folder}`);
    await api.delete(`/links/${link}`);
    // Another name, so that the numbers of the last seconds are not those of the question.
    const { body: reports } = await api.get('/reports');
    for (const { id } of reports) await api.patch(`/reports/${id}`, { groups: ['os'] });
    for (const url of urls) {
      for (const query of ['', '?format=csv']) {
        const opened = await open(url, { query });
        expect(opened.status).to.equal(404);
        expect(wordsOf(opened)).to.contain('This report cannot show its numbers.');
      }
    }
  });

  it('can be framed by the pages of their origins only', async () => {
    const { id, url } = await share();
    expect(policyOf(await open(url))).to.contain("frame-ancestors 'none'");
    const embedOrigins = ['https://Shop.example/', 'http://localhost:8080'];
    const { body } = await world.api.patch(`/reports/${id}`, { embedOrigins, password: 'secret' });
    expect(body.embedOrigins).to.deep.equal(['https://shop.example', 'http://localhost:8080']);
    const ancestors = 'frame-ancestors https://shop.example http://localhost:8080;';
    expect(policyOf(await open(url))).to.contain(ancestors);
    await world.api.patch(`/reports/${id}`, { password: null });
    expect(policyOf(await open(url))).to.contain(ancestors);
    expect((await open(url)).headers.get('x-frame-options')).to.equal(null);
  });

  it('have the brand of the workspace, and the language of the reader', async () => {
    const { url } = await share();
    await world.set({ brandColor: '#aa0044', brandName: 'Acme & Co' });
    const opened = await open(url, { headers: { 'accept-language': 'de' } });
    await world.set({ brandColor: null, brandName: null });
    expect(opened.body).to.contain('<html lang="de">').and.to.contain('Acme &amp; Co');
    const words = wordsOf(opened);
    for (const part of ['1.–31. März 2026', 'Klicks', 'Besucher', 'Deutschland', 'Quellen']) {
      expect(words).to.contain(part);
    }
  });

  it('need a plan with analytics, also later', async () => {
    const { url } = await share();
    const free = await aWorkspace({ plan: 'free' });
    const refused = await free.api.post('/reports', { name: 'a' });
    expect([refused.status, refused.body.error.message]).to.deep.equal([
      403,
      `This needs the pro plan or higher; the workspace "${free.slug}" has the free plan`,
    ]);
    await db()('workspaces').where({ id: world.projectId }).update({ plan: 'free' });
    const opened = await open(url);
    await db()('workspaces').where({ id: world.projectId }).update({ plan: 'enterprise' });
    expect(opened.status).to.equal(404);
    expect(wordsOf(opened)).to.contain('Report not available').and.not.to.contain('deleted');
  });

  it('are shared by those who can read analytics, and change them', async () => {
    const report = await share();
    const { api: viewer } = await aPerson({ in: { ...world, role: 'viewer' } });
    const { api: member } = await aPerson({ in: { ...world, role: 'member' } });
    expect((await viewer.get('/reports')).body).to.deep.equal([report]);
    expect((await viewer.post('/reports', { name: 'a' })).status).to.equal(403);
    expect((await member.post('/reports', { name: 'a' })).status).to.equal(201);
    const reader = await world.withScopes('analytics.read');
    const writer = await world.withScopes('analytics.write');
    const outsider = await world.withScopes('links.write');
    expect((await reader.post(`/reports/${report.id}/rotate`)).status).to.equal(403);
    expect((await writer.post('/reports', { name: 'a' })).status).to.equal(201);
    expect((await writer.get('/analytics')).status).to.equal(200);
    expect((await outsider.get('/reports')).status).to.equal(403);
  });

  it('take what analytics take, and nothing else', async () => {
    const bad: [body: object, status: number, message: RegExp][] = [
      [{ name: '' }, 422, /^name must /],
      [{ name: 'a'.repeat(191) }, 422, /^name must be at most 190 characters long$/],
      [{ query: 'colour=red' }, 422, /^query\.colour is not a known field$/],
      [{ query: 'groupBy=countries' }, 422, /^query\.groupBy is not a known field$/],
      [{ query: 'interval=all_unfiltered' }, 422, /^query\.interval must be one of /],
      [{ query: 'country=Germany' }, 422, /^query\.country/],
      [{ query: 'timezone=Mars' }, 422, /^query\.timezone must be an IANA time zone/],
      [{ query: 'start=2026-02-01&end=2026-01-01' }, 422, /^start must not be after end$/],
      [{ query: 'key=one' }, 422, /^domain is required with key/],
      [{ query: 'exclude=tagId' }, 422, /^exclude must name filters of the request/],
      [{ query: 'search=%E0%A4' }, 422, /^query must be a well percent-encoded query string$/],
      [{ query: 'a'.repeat(8_001) }, 422, /^query must be at most 8000 characters long$/],
      [{ query: 'tagId=tag_none' }, 404, /^There is no tag "tag_none"$/],
      [{ query: 'linkId=link_none' }, 404, /^There is no link "link_none"$/],
      [{ groups: ['count'] }, 422, /^groups\[0\] must be one of /],
      [{ groups: ['os', 'os'] }, 422, /^groups/],
      [{ groups: SHOWN_GROUPS.slice(0, 13) }, 422, /^groups must /],
      [{ password: '' }, 422, /^password must /],
      [{ password: 'a'.repeat(201) }, 422, /^password must be at most 200 characters long$/],
      [{ expiresAt: '2020-01-01' }, 422, /^expiresAt must be in the future$/],
      [{ embedOrigins: ['https://a.example/path'] }, 422, /^embedOrigins\[0\] must be the origin/],
      [{ embedOrigins: ['http://a.example'] }, 422, /^embedOrigins\[0\] must be the origin/],
      [{ embedOrigins: ["https://a.example; script-src 'none'"] }, 422, /^embedOrigins\[0\] /],
      [{ token: 'mine' }, 422, /^token is not a known field$/],
      [{ url: 'https://a.example' }, 422, /^url is not a known field$/],
    ];
    const { id } = await share();
    for (const [body, status, message] of bad) {
      for (const answer of [
        await world.api.post('/reports', { name: 'Campaign', ...body }),
        await world.api.patch(`/reports/${id}`, body),
      ]) {
        expect([answer.status, answer.body.error?.message], JSON.stringify(body)).to.deep.equal([
          status,
          (message.exec(answer.body.error?.message) && answer.body.error.message) ?? `${message}`,
        ]);
      }
    }
    expect((await world.api.patch(`/reports/${id}`, {})).status).to.equal(422);
    expect((await world.api.post('/reports', {})).body.error.message).to.contain(
      'name is required',
    );
  });

  it('store no token, URL or password that can be read', async () => {
    const { id, url } = await share({ password: 'a password of readers' });
    const [row] = await db()('shared_reports').where({ id });
    const jobs = await db()('jobs').where({ project_id: world.projectId });
    const stored = JSON.stringify([row, jobs]);
    expect(stored).not.to.contain(url.split('/').at(-1)).and.not.to.contain('password of readers');
  });

  it('are at most 100', async () => {
    const small = await aWorkspace();
    const answers = await Promise.all(
      Array.from({ length: 103 }, (_, n) => small.api.post('/reports', { name: `${n}` })),
    );
    const refused = answers.filter(({ status }) => status === 422);
    expect(refused.map(({ body }) => body.error.message)).to.deep.equal(
      Array(3).fill('A workspace has at most 100 shared reports'),
    );
  });

  it('are limited per network', async () => {
    const { url } = await share();
    const headers = { 'x-forwarded-for': '203.0.113.77' };
    const statuses = await Promise.all(
      Array.from({ length: 320 }, async () => (await open(url, { headers })).status),
    );
    expect(new Set(statuses)).to.deep.equal(new Set([200, 429]));
  });
});

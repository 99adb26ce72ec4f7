import { expect } from 'chai';
import { pino } from 'pino';
import { addLeftOut, MAX_PROGRAMS, retainLeftOut } from '../../src/events/ingest/left-out.ts';
import { db } from '../../src/infra/db.ts';
import type { LeftOutCount } from '../../src/visits/left-out.ts';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, type VisitOptions, type World } from '../support/world.ts';

const A = 'https://example.com/a';
const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const SLACKBOT = 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)';
const DAY_MS = 86_400_000;
const today = () => Math.floor(Date.now() / DAY_MS);

describe('requests that are not counted', () => {
  let world: World;

  const leftOut = async (query: Record<string, string> = {}) =>
    (await world.api.get('/analytics/left-out', query)).body;
  const open = async (path: string, userAgent: string, options: VisitOptions = {}) => {
    const isPrefetch = options.headers?.['sec-purpose'] !== undefined;
    // An overloaded process answers 503 without counting.
    return eventually(async () => {
      const { status } = await world.visit(path, { userAgent, ...options });
      expect(status === 503).to.equal(isPrefetch);
      return status;
    });
  };
  const post = async (path: string, fields: object) => {
    const { status, body } = await world.api.post(path, fields);
    expect(status, JSON.stringify(body)).to.equal(201);
    return body;
  };
  const add = (...counts: Omit<LeftOutCount, 'projectId'>[]) => {
    const { projectId } = world;
    return db().transaction((trx) =>
      addLeftOut(
        trx,
        counts.map((count) => ({ projectId, ...count })),
      ),
    );
  };

  beforeEach(async () => {
    world = await aWorkspace();
  });

  it('are counted by program where a person would be counted', async () => {
    const page = await post('/pages', { title: 'Please read this' });
    await post('/links', { url: A, key: 'plain' });
    await post('/links', { url: A, key: 'tracked', trackConversion: true });
    await post('/links', { url: A, key: 'card', proxy: true, title: 'A card' });
    await post('/links', { url: A, key: 'page', preRedirection: true, pageId: page.id });
    await post('/links', { url: A, key: 'secret', password: 'open sesame' });
    await post('/qrcodes', { type: 'url', url: A, key: 'code' });
    for (const path of ['/plain', '/plain?x=1', '/tracked', '/card', '/page', '/code']) {
      expect(await open(path, GOOGLEBOT, { process: 0 }), path).to.be.below(400);
      expect(await open(path, SLACKBOT, { process: 1 }), path).to.be.below(400);
    }
    await open('/plain', SLACKBOT);
    await open('/plain', 'Word/16.78');
    await open('/plain', '');
    // None of these would be a visit of a person.
    for (const path of ['/secret', '/none', '/', '/plain+', '/robots.txt']) {
      await open(path, GOOGLEBOT);
    }
    await open('/plain', GOOGLEBOT, { method: 'HEAD' });
    await open('/plain', browser(), { headers: { 'sec-purpose': 'prefetch' } });
    // Visits.
    await open('/plain', browser());
    await open('/tracked', browser());
    await eventually(async () => {
      expect(await leftOut()).to.deep.equal({
        requests: 15,
        programs: [
          { program: 'Slackbot-LinkExpanding', class: 'preview', requests: 7 },
          { program: 'Googlebot', class: 'bot', requests: 6 },
          { program: 'Microsoft Office', class: 'bot', requests: 1 },
          { program: 'No user agent', class: 'bot', requests: 1 },
        ],
      });
    });
    expect((await world.api.get('/analytics')).body.clicks).to.equal(2);
  });

  it('have one row for excluded networks and browsers', async () => {
    await post('/links', { url: A, key: 'a' });
    await world.api.patch('/workspace', { excludedIps: ['203.0.113.0/24'] });
    const excluded = { headers: { 'x-forwarded-for': '203.0.113.7' } };
    let requests = 0;
    await eventually(async () => {
      await open('/a', browser(1), excluded);
      requests += 1;
      await open('/a', GOOGLEBOT, excluded);
      requests += 1;
      expect((await leftOut()).programs.map(({ class: kind }: LeftOutCount) => kind)).to.include(
        'excluded',
      );
    });
    await eventually(async () => {
      const { programs } = await leftOut();
      expect((await leftOut()).requests + (await world.api.get('/analytics')).body.clicks).to.equal(
        requests,
      );
      expect(programs[0]).to.include({ program: 'Excluded visitors', class: 'excluded' });
    });
  });

  it('are returned for all days in UTC that the period touches', async () => {
    const day = today();
    const count = { class: 'bot' as const, program: 'curl' };
    await add(
      { ...count, day, requests: 1 },
      { ...count, day: day - 1, requests: 10 },
      { ...count, day: day - 10, requests: 100 },
      { ...count, day: day - 5_000, requests: 1_000 },
    );
    const requests = async (query: Record<string, string>) => (await leftOut(query)).requests;
    const date = (number: number) => new Date(number * DAY_MS).toISOString().slice(0, 10);
    expect(await requests({ start: date(day), end: date(day) })).to.equal(1);
    expect(await requests({ start: date(day - 1), end: date(day - 1) })).to.equal(10);
    expect(
      await requests({ start: date(day), end: date(day), timezone: 'Europe/Berlin' }),
    ).to.equal(11);
    expect(
      await requests({ start: `${date(day)}T00:00:00Z`, end: `${date(day)}T00:00:01Z` }),
    ).to.equal(1);
    expect(await requests({ interval: '30d' })).to.equal(111);
    expect(await requests({ interval: 'all' })).to.equal(1_111);
    const { status } = await world.api.get('/analytics/left-out', { country: 'DE' });
    expect(status).to.equal(422);
  });

  it('beyond 200 programs a day are counted together', async () => {
    const day = today();
    const counts = Array.from({ length: MAX_PROGRAMS + 50 }, (_, n) => ({
      day,
      class: 'bot' as const,
      program: `bot-${n}`,
      requests: 1_000 - n,
    }));
    // In any order, and where some are known already.
    await add(...counts.slice(0, 20).toReversed());
    await Promise.all([add(...counts), add(...counts)]);
    await add({ day, class: 'preview', program: 'new', requests: 5 });
    await add({ day: day - 1, class: 'preview', program: 'new', requests: 7 });
    const { requests, programs } = await leftOut({ interval: '30d' });
    const total = counts.reduce((sum, count) => sum + count.requests, 0);
    const first = counts.slice(0, 20).reduce((sum, count) => sum + count.requests, 0);
    expect(requests).to.equal(2 * total + first + 12);
    const named = programs.filter(({ program }: LeftOutCount) => program.startsWith('bot-'));
    expect(named).to.have.length(MAX_PROGRAMS);
    expect(named[0]).to.include({ program: 'bot-0', requests: 3_000 });
    expect(named.at(-1)).to.include({ requests: 2 * (1_000 - MAX_PROGRAMS + 1) });
    const rest = programs.filter(({ program }: LeftOutCount) => !program.startsWith('bot-'));
    const beyond = counts.slice(MAX_PROGRAMS).reduce((sum, count) => sum + count.requests, 0);
    expect(rest).to.deep.equal([
      { program: 'other', class: 'bot', requests: 2 * beyond },
      { program: 'new', class: 'preview', requests: 7 },
      { program: 'other', class: 'preview', requests: 5 },
    ]);
  });

  it('are deleted with the events that are past retention, and with the workspace', async () => {
    await world.set({ retentionDays: 60 });
    const day = today();
    const count = { class: 'bot' as const, program: 'curl', requests: 1 };
    await add({ ...count, day }, { ...count, day: day - 59 }, { ...count, day: day - 100 });
    await retainLeftOut(pino({ level: 'silent' }));
    expect((await leftOut({ interval: 'all' })).requests).to.equal(2);
    await db()('workspaces').where({ id: world.projectId }).delete();
    expect(await db()('left_out').where({ project_id: world.projectId })).to.deep.equal([]);
    await add({ ...count, day });
    expect(await db()('left_out').where({ project_id: world.projectId })).to.deep.equal([]);
  });
});

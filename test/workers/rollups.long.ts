import { expect } from 'chai';
import { pino } from 'pino';
import { eventRecords } from '../../src/event-records/event-records.ts';
import { resolveRecords } from '../../src/event-records/resolve.ts';
import type { EventRow } from '../../src/events/event.ts';
import { EVENT_PARAMETERS, type EventKind, kindsOf } from '../../src/events/kinds.ts';
import { type FilterQuery, resolveFilter } from '../../src/events/query/filters.ts';
import { GROUPS, type GroupName } from '../../src/events/query/groups/index.ts';
import type { Granularity, Span } from '../../src/events/span.ts';
import { append, MANY_EVENTS } from '../../src/events/store/postgres/append.ts';
import { compactRollups } from '../../src/events/store/postgres/compact.ts';
import { Counts } from '../../src/events/store/postgres/counts.ts';
import { eraseRecords } from '../../src/events/store/postgres/erase.ts';
import { rebuildRollups } from '../../src/events/store/postgres/rebuild.ts';
import {
  pendingRebuilds,
  rebuildMarked,
  requestRebuild,
} from '../../src/events/store/postgres/rollup-rebuilds.ts';
import { db } from '../../src/infra/db.ts';
import { seeded } from '../qr/pairwise.ts';
import { anEvent } from '../support/events.ts';
import { entriesOf } from '../support/rolled-up.ts';
import { aWorkspace, type World } from '../support/world.ts';

/*
 * Analytics from rollups must equal analytics from events: random events, random queries, every
 * group. A group reads the events once its filter has a condition, even one that is always true.
 * Each run uses other queries; ROLLUP_QUESTIONS sets their number.
 */

const SEED = Number(process.env['ROLLUP_SEED'] ?? Date.now() % 1_000_000);
const COUNT = 2_000;
/** Number of queries per group, filter and stage. */
const QUESTIONS = Number(process.env['ROLLUP_QUESTIONS']) || 2;
/** The period includes days of 23, 25, 23½ and 24½ hours. */
const FIRST = Date.UTC(2025, 0, 20);
const LAST = Date.UTC(2025, 10, 20);
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kathmandu',
  'Australia/Eucla',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'Pacific/Apia',
];
const KINDS: EventKind[] = ['click', 'click', 'click', 'scan', 'view', 'lead', 'sale'];
const log = pino({ level: 'silent' });
const LONG = `https://example.com/?q=${'long'.repeat(300)}`;

/**
 * URLs with and without queries, fragments and UTM parameters; some are longer than an index key.
 */
const URLS = [
  'https://example.com/',
  'https://example.com/?a=1',
  'https://example.com/page#part?',
  `https://example.com/${'page'.repeat(400)}#?a`,
  '',
  LONG,
  'https://example.com/?utm_source=mail&utm_medium=a%20b#x',
  'https://example.com/?utm_source=mail&utm_medium=a+b&utm_campaign=%C3%A4',
  `https://example.com/?utm_content=${'long'.repeat(120)}&utm_source=%zz`,
];

/** Changes the stored counts of some rollups. */
async function change(
  table: 'rollups' | 'record_rollups',
  which: object,
  changed: (entries: ReturnType<typeof entriesOf>) => ReturnType<typeof entriesOf>,
): Promise<void> {
  const owner = table === 'rollups' ? 'domain' : 'record_id';
  const columns = ['project_id', owner, 'dimension', 'event', 'step', 'bucket', 'counts'];
  for (const { counts, ...key } of await db()(table).where(which).select(columns)) {
    const made = new Counts();
    for (const entry of changed(entriesOf(counts))) made.add(...entry);
    await db()(table).where(key).update({ counts: made.pack() });
  }
}

describe(`rollups (seed ${SEED})`, () => {
  let world: World;
  let records: string[];
  let tagId: string;
  let folderId: string;
  let pageId: string;
  const random = seeded(SEED);
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!;

  before(async function () {
    world = await aWorkspace();
    const { api } = world;
    tagId = (await api.post('/tags', { name: 'some' })).body.id;
    folderId = (await api.post('/folders', { name: 'others' })).body.id;
    const { body: links } = await api.post(
      '/links/bulk',
      Array.from({ length: 6 }, (_, at) => ({
        url: 'https://example.com/',
        ...(at % 2 === 0 ? { tagIds: [tagId] } : { folderId }),
      })),
    );
    const { body: code } = await api.post('/qrcodes', { type: 'url', url: LONG, tagIds: [tagId] });
    records = [...links.map(({ id }: { id: string }) => id), code.id];
    const { body: page } = await api.post('/pages', { title: 'Page' });
    pageId = page.id;
    await add(0, COUNT);
  });

  async function add(from: number, count: number): Promise<void> {
    const { projectId } = world;
    const events = Array.from({ length: count }, (_, at) => event(projectId, from + at, pageId));
    for (let at = 0; at < count; at += 500) {
      await db().transaction((trx) => append(trx, events.slice(at, at + 500)));
    }
  }

  const addLateEvents = () => add(COUNT, 500);

  async function mergeAdditions(): Promise<void> {
    await compactRollups(log);
    expect(await db()('rollup_deltas').where({ project_id: world.projectId })).to.deep.equal([]);
  }

  /** Deletes all events of two links, one of which has many. */
  const eraseSome = () =>
    db().transaction((trx) => eraseRecords(trx, world.projectId, [records[1]!, records[4]!]));

  async function rebuildInBackground(): Promise<void> {
    const { projectId } = world;
    for (const table of ['rollups', 'record_rollups', 'rollup_deltas']) {
      await db()(table).where({ project_id: projectId }).delete();
    }
    await requestRebuild(db(), projectId);
    await rebuildMarked({}, { log });
  }

  function event(projectId: string, at: number, pageId: string): EventRow {
    const kind = pick(KINDS);
    // Most events belong to the first records, so that these have many and the last ones few.
    const record = kind === 'scan' ? records.at(-1)! : records[Math.floor(random() ** 3 * 6)]!;
    return anEvent(projectId, {
      id: `evt_${String(at).padStart(8, '0')}`,
      event: kind,
      occurred_at: new Date(FIRST + random() * (LAST - FIRST)).toISOString(),
      link_id: random() < 0.05 && kind === 'click' ? null : record,
      domain: pick(['a.test', 'b.test']),
      country: pick(['DE', 'FR', 'JP', 'BR', 'Unknown', 'XK']),
      region: pick(['A', 'B']),
      city: pick(['Springfield', 'Berlin', 'Ōsaka', 'tab\tname']).replace('\t', ' '),
      continent: '',
      device: pick(['Desktop', 'Mobile', 'Tablet']),
      browser: pick(['Chrome', 'Safari', 'Firefox']),
      os: pick(['iOS', 'Android', 'Windows']),
      referer: pick(['(direct)', 'news.example', 'x.example']),
      referer_url: pick(['(direct)', 'https://news.example/a', `${LONG}&r`]),
      url: pick(URLS),
      variant: pick(['A', 'B', null]),
      via: pick(['link', 'qr']),
      page_id: kind === 'view' ? pageId : null,
      event_name:
        kind === 'lead' ? pick(['Sign up', 'Trial']) : kind === 'sale' ? 'Purchase' : null,
      amount_cents: kind === 'sale' ? Math.floor(random() * 100_000) : null,
    });
  }

  function aSpan(): Span {
    const [a, b] = [random(), random()].toSorted((x, y) => x - y) as [number, number];
    const length = LAST - FIRST;
    const from = FIRST + a * length;
    // Both ends of a span are at a day, a quarter of an hour, or any millisecond.
    const unit = pick([86_400_000, 900_000, 1]);
    const granularity: Granularity = pick(['hour', 'day', 'month']);
    const to =
      granularity === 'hour'
        ? Math.min(from + 5 * 86_400_000 * random(), LAST)
        : FIRST + b * length;
    const cut = (time: number) => new Date(Math.floor(time / unit) * unit);
    return { start: cut(from), end: cut(to + unit), granularity, timezone: pick(ZONES) };
  }

  const filters: [what: string, query: () => FilterQuery][] = [
    ['everything', () => ({})],
    ['a domain', () => ({ domain: pick(['a.test', 'b.test']) })],
    ['a link', () => ({ linkId: pick(records.slice(0, 6)) })],
    ['a QR code', () => ({ qrcodeId: records.at(-1)! })],
    ['a tag', () => ({ tagId: [tagId] })],
    ['a folder', () => ({ folderId })],
  ];

  /** Answers a query from rollups and from events. */
  async function both(name: GroupName, query: FilterQuery, span: Span) {
    const { projectId } = world;
    const filter = await resolveFilter(projectId, query, resolveRecords);
    const question = { projectId, span, filter, events: kindsOf(pick(EVENT_PARAMETERS)) };
    // This filter matches all events, but rollups cannot tell, so the events are read.
    const raw = { ...question, filter: { ...filter, via: ['link' as const, 'qr' as const] } };
    const { names } = eventRecords;
    return Promise.all([GROUPS[name].read(question, names), GROUPS[name].read(raw, names)]);
  }
  /** Names of all groups but trend_live, which reads current events and never rollups. */
  const NAMES = (Object.keys(GROUPS) as GroupName[]).filter((name) => name !== 'trend_live');

  const stages: [stage: string, prepare: () => Promise<unknown>][] = [
    ['as they are stored', async () => {}],
    ['of records with many events', () => rebuildRollups(db(), world.projectId, 300)],
    ['with additions merged', mergeAdditions],
    ['with further events', addLateEvents],
    ['with some events erased', eraseSome],
    ['with further events and what was erased merged', mergeAdditions],
    ['rebuilt in the background', rebuildInBackground],
  ];
  for (const [stage, prepare] of stages) {
    describe(stage, () => {
      before(async function () {
        await prepare();
      });

      for (const [what, query] of filters) {
        it(`equal the events of ${what}`, async function () {
          for (const name of NAMES) {
            for (let n = 0; n < QUESTIONS; n += 1) {
              const [asked, span] = [query(), aSpan()];
              const [rolled, raw] = await both(name, asked, span);
              expect(rolled, JSON.stringify({ SEED, name, asked, span })).to.deep.equal(raw);
            }
          }
        });
      }
    });
  }

  it('are rebuilt without a difference, and report manual changes', async function () {
    const { projectId } = world;
    const none = { missing: 0, surplus: 0, different: 0 };
    await rebuildRollups(db(), projectId, 300);
    const right = await rebuildRollups(db(), projectId, 300);
    // Rebuilding in slices of several days and of parts of a day must give the same result.
    for (const found of [
      right,
      await rebuildRollups(db(), projectId, 300, 50),
      await rebuildRollups(db(), projectId, 300, 10),
    ]) {
      expect(found.domains).to.include(none);
      expect(found.records).to.include(none);
    }
    expect(right.domains.rows).to.be.greaterThan(1_000);
    expect(right.records.rows).to.be.greaterThan(100);
    const rowsOf = (table: string) => db()(table).where({ project_id: projectId });
    await rowsOf('rollups').where({ dimension: 'country', step: 'd', domain: 'a.test' }).delete();
    await change(
      'rollups',
      { project_id: projectId, dimension: 'os', step: 'd' },
      ([first, ...others]) => [[first![0], first![1] + 1, first![2]], ...others],
    );
    await change(
      'record_rollups',
      { project_id: projectId, dimension: 'device' },
      ([first, ...others]) => [[first![0] + 1_000_000, first![1], first![2]], ...others],
    );
    const wrong = await rebuildRollups(db(), projectId, 300);
    expect(wrong.domains.missing).to.be.greaterThan(0);
    expect(wrong.domains.different).to.be.greaterThan(0);
    expect(wrong.records.surplus).to.be.greaterThan(0);
    expect((await rebuildRollups(db(), projectId, 300)).domains).to.include(none);
  });

  it('are rebuilt month by month while visits are stored, and queries read events until then', async function () {
    const { projectId, api } = world;
    await db()('rollups').where({ project_id: projectId }).delete();
    await requestRebuild(db(), projectId);
    const clicks = await db()('events').where({ project_id: projectId, event: 'click' });
    const all = { interval: 'all', groupBy: 'clicks' };
    const whileRebuilding = await api.get('/analytics', all);
    const urls = await api.get('/analytics', { interval: 'all', groupBy: 'top_urls' });
    const parts = await api.get('/analytics', { ...all, url: 'PAGEpage' });
    await Promise.all([
      rebuildMarked({}, { log }),
      rebuildMarked({}, { log }),
      add(COUNT + 500, 50),
    ]);
    const { domains, records: ofRecords } = await rebuildRollups(db(), projectId, 300);

    expect(whileRebuilding.body).to.deep.equal({ clicks: clicks.length });
    expect(urls.body.map(({ url }: { url: string }) => url)).to.include('https://example.com/');
    expect(parts.body.clicks).to.be.greaterThan(0);
    const none = { missing: 0, surplus: 0, different: 0 };
    expect(domains).to.include(none);
    expect(ofRecords).to.include(none);
    expect(await pendingRebuilds(db())).to.deep.equal([]);
  });

  it('sum amounts exactly, stop at the largest, and never prevent a sale from being recorded', async () => {
    const { api, projectId } = await aWorkspace();
    const { body: link } = await api.post('/links', { url: 'https://example.com/' });
    const occurred_at = new Date(Date.now() - 40 * 86_400_000).toISOString();
    const add = (amounts: number[], from: number) =>
      db().transaction((trx) =>
        append(
          trx,
          amounts.map((amount_cents, n) => {
            const sale = {
              event: 'sale' as const,
              event_name: 'Purchase',
              country: 'DE',
              amount_cents,
            };
            return anEvent(projectId, {
              id: `evt_${from + n}`,
              occurred_at,
              link_id: link.id,
              ...sale,
            });
          }),
        ),
      );
    const amounts = async () => {
      const questions = ['count', 'sales', 'countries', 'continents', 'top_links', 'cities'];
      const answers = await Promise.all([
        ...questions.map((groupBy) =>
          api.get('/analytics', { groupBy, event: 'sales', interval: 'all' }),
        ),
        api.get('/analytics', { interval: 'all_unfiltered' }),
        api.get('/analytics', { interval: 'all', linkId: link.id }),
        api.get(`/links/${link.id}`),
      ]);
      return answers.map(({ body }) => (Array.isArray(body) ? body[0] : body).saleAmount);
    };
    const all = (amount: number) => Array.from({ length: 9 }, () => amount);
    await add(
      Array.from({ length: 9_007 }, () => 1e12),
      0,
    );
    await add([199_254_740_990], 9_007);
    expect(await amounts()).to.deep.equal(all(Number.MAX_SAFE_INTEGER - 1));
    await add([1], 9_008);
    expect(await amounts()).to.deep.equal(all(Number.MAX_SAFE_INTEGER));
    await add([1e12], 9_009);
    expect(await amounts()).to.deep.equal(all(Number.MAX_SAFE_INTEGER));

    const nearly = '9223372036854775800';
    await compactRollups(log);
    await change('rollups', { project_id: projectId }, (entries) =>
      entries.map(([id, count]) => [id, count, BigInt(nearly)]),
    );
    await db()('counters').where({ project_id: projectId }).update({ sale_amount_cents: nearly });
    await add([1e12, 1e12], 9_010);
    await add([1e12], 9_012);
    await compactRollups(log);
    const answers = new Set(await amounts());
    expect([...answers]).to.deep.equal([Number.MAX_SAFE_INTEGER]);
  });

  it('begin for a record on the day after it got many events', async function () {
    const { body: link } = await world.api.post('/links', { url: 'https://example.com/' });
    const now = Date.now();
    const rows = (count: number, day: number) =>
      Array.from({ length: count }, (_, n) =>
        anEvent(world.projectId, {
          id: `evt_many_${day}_${n}`,
          link_id: link.id,
          occurred_at: new Date(now + day * 86_400_000).toISOString(),
        }),
      );
    const add = (events: EventRow[]) => db().transaction((trx) => append(trx, events));
    const rolled = async () =>
      (
        await Promise.all([
          db()('rollup_deltas').where({ owner: link.id, dimension: 'all' }),
          db()('record_rollups').where({ record_id: link.id, dimension: 'all', step: 'd' }),
        ])
      )
        .flat()
        .flatMap(({ counts }) => entriesOf(counts).map(([, count]) => count));
    await add(rows(MANY_EVENTS - 1, 0));
    await add(rows(1, -1));
    expect(await rolled()).to.deep.equal([]);
    await add(rows(5, 2));
    await add(rows(5, -2));
    expect(await rolled()).to.deep.equal([5]);
    const span = {
      start: new Date(now - 90_000_000 * 3),
      end: new Date(now + 90_000_000 * 3),
      granularity: 'day' as const,
      timezone: 'UTC',
    };
    const [count, raw] = await both('clicks', { linkId: link.id }, span);
    expect(count).to.deep.equal(raw);
  });
});

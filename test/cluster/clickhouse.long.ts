import { execFile } from 'node:child_process';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Suite } from 'mocha';
import { pino } from 'pino';
import { DIMENSION_NAMES, dimensionOf } from '../../src/events/dimensions.ts';
import type { EventRow } from '../../src/events/event.ts';
import {
  conditionsOf,
  type EventFilter,
  FILTER_NAMES,
  type FilterValues,
} from '../../src/events/filters.ts';
import {
  EVENT_KINDS,
  type EventKind,
  kindOf,
  pluralOf,
  suspectKind,
  TRAFFIC,
} from '../../src/events/kinds.ts';
import type { Granularity, Span } from '../../src/events/span.ts';
import { ClickHouse } from '../../src/events/store/clickhouse/connection.ts';
import { MOVED_KINDS, MOVED_STORED_KINDS } from '../../src/events/store/clickhouse/schema.ts';
import { clickhouseStore } from '../../src/events/store/clickhouse/store.ts';
import { moveToClickHouse, moveToPostgres } from '../../src/events/store/clickhouse/transfer.ts';
import { buildBlocksOf } from '../../src/events/store/postgres/build-blocks.ts';
import { postgresStore } from '../../src/events/store/postgres/store.ts';
import type { EventsStore } from '../../src/events/store/store.ts';
import { db, rows } from '../../src/infra/db.ts';
import { seeded } from '../qr/pairwise.ts';
import { ChdbServer } from '../support/chdb-server.ts';
import {
  ClickHouseCluster,
  ClickHouseServer,
  type EventsServer,
  hasClickHouse,
} from '../support/clickhouse-server.ts';
import { anEvent } from '../support/events.ts';
import { describeEventsStore } from '../support/events-store.ts';
import { eventually } from '../support/eventually.ts';
import { OwnService } from '../support/own-service.ts';
import { Visitors } from '../support/traffic.ts';
import { aWorkspace } from '../support/world.ts';

const SEED = Number(process.env['CLICKHOUSE_SEED'] ?? Date.now() % 1_000_000);
/** Runs all queries; by default, a cluster gets fewer. */
const IS_LONG = process.env['CLICKHOUSE_LONG'] !== undefined;
const DAY_MS = 86_400_000;
const FIRST = Date.UTC(2025, 0, 20);
const LAST = Date.UTC(2025, 10, 20);
const KINDS: EventKind[] = ['click', 'click', 'click', 'scan', 'view', 'lead', 'sale', 'refund'];
const ZONES = ['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'Australia/Lord_Howe'];
/** Dimensions with values; those marked raw, such as visitors, are only counted. */
const COUNTED = DIMENSION_NAMES.filter((name) => dimensionOf(name).isRaw !== true);
const log = pino({ level: 'silent' });

/** Columns of the first version of the events table. */
const FIRST_LAYOUT = `batch UInt64, at Int64, page_url String, utm String, project_id String, id String, event String,
  event_name Nullable(String), click_id Nullable(String), link_id Nullable(String), domain String, key String, url String,
  continent String, country String, region String, city String, device String, browser String, os String, referer String,
  referer_url String, via String, ip String, page_id Nullable(String), variant Nullable(String)`;

/** Wraps a store so that it moves all events from Postgres before each query. */
function movedFirst(store: EventsStore): EventsStore {
  let moving = Promise.resolve();
  return new Proxy(store, {
    get(_, name) {
      const method = Reflect.get(store, name) as (...asked: unknown[]) => Promise<unknown>;
      if (String(name).startsWith('append')) return method;
      return async (...asked: unknown[]) => {
        moving = moving.then(() => store.compact(log));
        await moving;
        return method(...asked);
      };
    },
  });
}

/** Folder in which `npm run test:chdb` installs chDB, which is too large for a dependency. */
const CHDB = process.env['CHDB_FOLDER'];
const servers = [await ClickHouseServer.prepare(), await ClickHouseCluster.prepare()] as const;

if (CHDB !== undefined) {
  const server = await ChdbServer.prepare(CHDB);
  describe('with events in the engine of present ClickHouse servers', function () {
    describeOn.call(this, server, 25, true);
  });
}

describe('with events in ClickHouse', function () {
  describeOn.call(this, servers[0], 25, true);
});

describe('with events in a cluster of ClickHouse', function () {
  describeOn.call(this, servers[1], IS_LONG ? 25 : 4, IS_LONG);
});

/**
 * Defines the tests of a server.
 * @param rounds random queries of each kind
 */
function describeOn(this: Suite, server: EventsServer, rounds: number, isWhole: boolean) {
  const store = clickhouseStore(server.url);
  const clickhouse = new ClickHouse(server.url);

  before(async function () {
    if (!(server instanceof ChdbServer || hasClickHouse())) this.skip();
    await server.start();
  });

  after(async () => {
    await Promise.all([store.close(), clickhouse.close()]);
    await server.stop();
  });

  if (isWhole) describeEventsStore('in ClickHouse, before events are moved', store);
  describeEventsStore('in ClickHouse, after events were moved', movedFirst(store));

  const countIn = async (projectId: string, condition = '1') => {
    const [row] = await clickhouse.rows<{ n: string | number }>(
      `SELECT count() AS n FROM events WHERE project_id = '${projectId}' AND ${condition}`,
    );
    return Number(row!.n);
  };
  const totalsOf = (projectId: string) =>
    store.totals({
      projectId,
      span: { start: new Date(0), end: new Date(), granularity: 'day', timezone: 'UTC' },
      filter: {},
      events: ['click', 'sale'],
    });
  /** Counts clicks, scans and views. */
  const totalOf = async (projectId: string) => {
    const span = {
      start: new Date(0),
      end: new Date(),
      granularity: 'day',
      timezone: 'UTC',
    } as const;
    const filter = { traffic: 'all' as const };
    const numbers = await store.totals({ projectId, span, filter, events: MOVED_KINDS });
    return MOVED_KINDS.reduce((sum, kind) => sum + numbers[pluralOf(kind)]!, 0);
  };
  const aClick = (projectId: string, id: string, fields: Partial<EventRow> = {}) =>
    anEvent(projectId, { id, occurred_at: '2025-03-03T10:00:00.123Z', ...fields });
  const insert = (batch: number, projectId: string, id: string) =>
    clickhouse.insert(
      'events',
      ['batch', 'project_id', 'id', 'event'],
      Readable.from([`${batch}\t${projectId}\t${id}\tclick\n`], { objectMode: false }),
    );
  const add = (events: EventRow[]) => db().transaction((trx) => store.append(trx, events));

  it('stores visits there and nowhere else, and leads and sales in Postgres', async () => {
    const { projectId } = await aWorkspace();
    await add([
      aClick(projectId, 'evt_1'),
      aClick(projectId, 'evt_2', { event: 'sale', amount_cents: 5 }),
    ]);
    await store.compact(log);
    expect(await countIn(projectId)).to.equal(1);
    const inPostgres = await db()('events').where({ project_id: projectId }).pluck('id');
    expect(inPostgres).to.deep.equal(['evt_2']);
    expect(await db()('event_outbox').where({ project_id: projectId })).to.deep.equal([]);
    expect(await totalsOf(projectId)).to.deep.equal({
      clicks: 1,
      visitors: 0,
      sales: 1,
      saleAmount: 5,
    });
  });

  it('counts each visit once when a batch was stored twice, or in part', async () => {
    const { projectId } = await aWorkspace();
    await add([aClick(projectId, 'evt_1'), aClick(projectId, 'evt_2')]);
    // A worker that died between the insert and its commit leaves this state.
    const [batch] = await rows<{ id: number }>(
      db(),
      `WITH next AS (UPDATE event_outbox_state SET last_batch = last_batch + 1 RETURNING last_batch)
       INSERT INTO event_batches (id, begun_at, format)
       SELECT last_batch, now() - interval '2 hours', 3 FROM next RETURNING id`,
    );
    const [row] = await db()('event_outbox').where({ project_id: projectId, id: 'evt_1' });
    await insert(batch!.id, projectId, row.id);
    expect(await countIn(projectId)).to.equal(1);
    expect((await totalsOf(projectId))['clicks']).to.equal(2);
    await store.compact(log);
    expect(await countIn(projectId)).to.equal(3);
    expect((await totalsOf(projectId))['clicks']).to.equal(2);
    await store.retain(log);
    expect(await countIn(projectId)).to.equal(2);
    expect((await totalsOf(projectId))['clicks']).to.equal(2);
  });

  it('moves all visits to Postgres though a batch has failed a moment before', async () => {
    const { projectId } = await aWorkspace();
    await add([aClick(projectId, 'evt_1'), aClick(projectId, 'evt_2')]);
    const [batch] = await rows<{ id: number }>(
      db(),
      `WITH next AS (UPDATE event_outbox_state SET last_batch = last_batch + 1 RETURNING last_batch)
       INSERT INTO event_batches (id, format) SELECT last_batch, 3 FROM next RETURNING id`,
    );
    await insert(batch!.id, projectId, 'evt_1');
    await store.compact(log);
    expect(await countIn(projectId)).to.equal(3);
    expect(await moveToPostgres(clickhouse, projectId)).to.equal(2);
    expect(await db()('events').where({ project_id: projectId }).pluck('id')).to.have.members([
      'evt_1',
      'evt_2',
    ]);
    // Rows of the failed batch can arrive even later.
    await insert(batch!.id, projectId, 'evt_2');
    expect((await totalsOf(projectId))['clicks']).to.equal(2);
    await db()('event_batches').update({ begun_at: new Date(0) });
    await store.retain(log);
    expect(await countIn(projectId)).to.equal(0);
    expect((await totalsOf(projectId))['clicks']).to.equal(2);
  });

  it('keeps accepting visits while the server is down, and counts them afterwards', async () => {
    const { projectId } = await aWorkspace();
    await add([aClick(projectId, 'evt_1')]);
    await store.compact(log);
    await server.kill();
    await add([aClick(projectId, 'evt_2'), aClick(projectId, 'evt_3', { event: 'sale' })]);
    const moved = await store.compact(log).then(
      () => true,
      () => false,
    );
    expect(moved).to.equal(false);
    await server.start();
    await store.compact(log);
    expect((await totalsOf(projectId))['clicks']).to.equal(2);
    expect(await countIn(projectId)).to.equal(2);
  });

  it('gives a table of the first layout the present one, and keeps its events', async function () {
    if (server instanceof ClickHouseCluster) this.skip();
    const url = new URL(await server.addDatabase('first'));
    const run = async (body: string) => {
      const database = url.pathname.slice(1);
      const password = decodeURIComponent(url.password);
      const asked = new URLSearchParams({ user: url.username, password, database });
      const answer = await fetch(`http://${url.host}/?${asked}`, { method: 'POST', body });
      expect(answer.status, await answer.text()).to.equal(200);
    };
    await run(`CREATE TABLE events (${FIRST_LAYOUT})
      ENGINE = MergeTree PARTITION BY toRelativeQuarterNum(toDateTime(intDiv(at, 1000000), 'UTC'))
      ORDER BY (project_id, event, at, id)`);
    for (const at of [Date.UTC(2020, 1), Date.UTC(2025, 1)]) {
      await run(`INSERT INTO events (batch, at, page_url, utm, project_id, id, event, link_id, country, region, city, url)
        VALUES (7, ${at}000, 'https://a.test/', 'mail', 'ws', 'evt_${at}', 'click', 'link_a', 'DE', 'BE', 'Berlin', 'https://a.test/?x')`);
    }
    const upgraded = [new ClickHouse(url.href), new ClickHouse(url.href)];
    try {
      for (const found of await Promise.all(
        upgraded.map((one) => one.rows('SELECT * FROM events ORDER BY at LIMIT 1')),
      )) {
        expect(found).to.have.length(1);
        expect(found[0]).to.include({
          batch: 7,
          slot: Date.UTC(2020, 1) / 900_000,
          id: `evt_${Date.UTC(2020, 1)}`,
          link_id: 'link_a',
          variant: '',
          visitor: '',
          page_url: 'https://a.test/',
          utm: 'mail',
          place: 'DE\tBE\tBerlin',
          area: 'DE\tBE',
        });
      }
      const [row] = await upgraded[0]!.rows<{ n: string }>('SELECT count() AS n FROM events');
      expect(Number(row!.n)).to.equal(2);
    } finally {
      await Promise.all(upgraded.map((one) => one.close()));
    }
  });

  it('refuses a server with batches of another database, or of one that is newer', async () => {
    const { projectId } = await aWorkspace();
    const other = clickhouseStore(server.url);
    await insert(1_000_000, projectId, 'evt_0');
    await add([aClick(projectId, 'evt_1')]);
    try {
      const error = await other.compact(log).catch((thrown: Error) => thrown);
      expect(error).to.be.an('error').that.has.property('message').that.includes('docs/clickhouse');
      expect(await countIn(projectId)).to.equal(1);
      await clickhouse.delete('events', 'batch > 999999');
      await other.compact(log);
      expect((await totalsOf(projectId))['clicks']).to.equal(1);
    } finally {
      await other.close();
    }
  });

  it('has the visits of a service, whose analytics count them at once', async function () {
    if (!isWhole) this.skip();
    const url = await server.addDatabase('service');
    const stored = new ClickHouse(url);
    const own = new OwnService();
    try {
      await own.start({ EVENTS_URL: url }, 'Procfile.small');
      const { id, key } = await own.post('/links', { url: 'https://example.com/one' });
      const visitors = new Visitors('visitor', own.service.redirectPorts, [key], 50);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      const { answered } = await visitors.stop();
      await eventually(async () => {
        const answer = await fetch(`${own.service.apiUrl}/analytics?linkId=${id}`, {
          headers: { authorization: `Bearer ${own.apiKey}` },
        });
        expect(await answer.json()).to.include({ clicks: answered.size });
      });
      await eventually(async () => {
        const found = await stored.rows<{ n: string | number }>('SELECT count() AS n FROM events');
        expect(Number(found[0]!.n)).to.equal(answered.size);
      });
      expect(await rows(own.db, 'SELECT id FROM events')).to.deep.equal([]);
    } finally {
      await Promise.all([own.stop(), stored.close()]);
    }
  });

  it('keeps no erased visit there when visits are moved to Postgres', async () => {
    const { projectId } = await aWorkspace();
    const day = (number: number) => new Date(Date.UTC(2026, 0, number)).toISOString();
    await add([
      aClick(projectId, 'evt_1', { link_id: 'link_a', occurred_at: day(1) }),
      aClick(projectId, 'evt_2', { link_id: 'link_b', occurred_at: day(2) }),
      aClick(projectId, 'evt_3', { link_id: 'link_a', occurred_at: day(3) }),
    ]);
    await store.compact(log);
    await db().transaction((trx) => store.eraseRecords(trx, projectId, ['link_a']));
    expect(await moveToPostgres(clickhouse, projectId)).to.equal(1);
    expect(await countIn(projectId)).to.equal(0);
    expect(await db()('events').where({ project_id: projectId }).pluck('id')).to.deep.equal([
      'evt_2',
    ]);
  });

  it('deletes erased events and those past their retention from the server', async () => {
    const { projectId } = await aWorkspace();
    await add([
      aClick(projectId, 'evt_1', { link_id: 'link_a' }),
      aClick(projectId, 'evt_2', { link_id: 'link_b' }),
    ]);
    await store.compact(log);
    await db().transaction((trx) => store.eraseRecords(trx, projectId, ['link_a']));
    await add([aClick(projectId, 'evt_3', { link_id: 'link_a' })]);
    expect((await totalsOf(projectId))['clicks']).to.equal(2);
    await store.retain(log);
    expect(await countIn(projectId, "id = 'evt_1'")).to.equal(0);
    expect(await countIn(projectId)).to.equal(2);
    await db()('workspaces').where({ id: projectId }).update({ retention_days: 30 });
    await store.retain(log);
    expect(await countIn(projectId)).to.equal(0);
    expect((await totalsOf(projectId))['clicks']).to.equal(2);
  });

  describe(`random events (seed ${SEED})`, function () {
    const random = seeded(SEED);
    const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!;
    /** Two copies of a workspace with the same records, one in each store. */
    const sides: { store: EventsStore; projectId: string; records: string[] }[] = [];
    let made = 0;

    before(async () => {
      for (const one of [postgresStore, store]) {
        const { projectId, api } = await aWorkspace();
        const links = Array.from({ length: 5 }, () => ({ url: 'https://example.com/' }));
        const { body } = await api.post('/links/bulk', links);
        const records = body.map(({ id }: { id: string }) => id).toSorted();
        sides.push({ store: one, projectId, records });
      }
      await append(1_500);
      await store.compact(log);
      await append(300);
    });

    async function append(count: number): Promise<void> {
      const drawn = Array.from({ length: count }, anyEvent);
      for (const side of sides) {
        const events = drawn.map(({ record, ...fields }) =>
          anEvent(side.projectId, {
            ...fields,
            link_id: record === undefined ? null : side.records[record]!,
          }),
        );
        await db().transaction((trx) => side.store.append(trx, events));
      }
    }

    function anyEvent() {
      const kind = pick(KINDS);
      const isRoot = kind === 'click' && random() < 0.1;
      const mayBeSuspect = kindOf(kind).family !== 'conversion';
      const suspect = mayBeSuspect ? pick(['burst', null, null]) : null;
      return {
        id: `evt_${String((made += 1)).padStart(8, '0')}`,
        event: suspect === null ? kind : suspectKind(kind as 'click' | 'scan' | 'view'),
        suspect,
        // Some events have the same time.
        occurred_at: new Date(
          FIRST + Math.floor(random() * 2_000) * ((LAST - FIRST) / 2_000),
        ).toISOString(),
        record: isRoot ? undefined : Math.floor(random() ** 2 * 5),
        key: isRoot ? '_root' : 'x',
        domain: pick(['a.test', 'b.test']),
        continent: pick(['EU', 'AS']),
        country: pick(['DE', 'FR', 'JP', 'Unknown']),
        region: pick(['A', 'B']),
        city: pick(['Springfield', 'Ōsaka', "L'Aquila", String.raw`back\slash`]),
        device: pick(['Desktop', 'Mobile']),
        browser: pick(['Chrome', 'Safari', '\u{1f98a}fox', '\uff46ox']),
        os: pick(['iOS', 'Android', 'KaiOS', 'KAIOS']),
        referer: pick([
          '(direct)',
          'News.example',
          'x.example',
          'www.x.example',
          'www.www.x.example',
          'www.x',
          'facebook.com',
          'l.facebook.com',
          'com.facebook.katana',
        ]),
        referer_url: pick(['(direct)', 'https://news.example/a%_']),
        url: pick([
          'https://example.com/?a=1',
          'https://example.com/Page#part?',
          '',
          'https://example.com/?utm_source=mail&utm_medium=a%20b#x',
          'https://example.com/?utm_source=%C3%A4&utm_term=a%09b',
          'https://example.com/?utm_source=%C3%84&utm_term=A%09b',
          // Kelvin and ß are letters of their own.
          'https://example.com/?utm_source=%E2%84%AA&utm_term=%C3%9F',
          'https://example.com/?utm_source=k&utm_medium=K&utm_term=%E1%BA%9E',
        ]),
        via: pick(['link', 'qr'] as const),
        ip: pick(['192.0.2.0', '192.0.3.0', '']),
        variant: pick(['A', 'B', null]),
        visitor: pick(['new', null] as const),
        page_id: kind === 'view' ? pick(['page_1', 'page_2']) : null,
        event_name: kind === 'lead' ? 'Sign up' : null,
        amount_cents: kind === 'sale' || kind === 'refund' ? Math.floor(random() * 100_000) : null,
      };
    }

    const aSpan = (): Span => {
      const [a, b] = [random(), random()].toSorted((x, y) => x - y) as [number, number];
      const start = FIRST + a * (LAST - FIRST);
      const granularity: Granularity = pick(['minute', 'hour', 'day', 'month']);
      const most = { minute: DAY_MS / 8, hour: 5 * DAY_MS, day: Infinity, month: Infinity };
      const end = Math.min(FIRST + b * (LAST - FIRST), start + most[granularity]);
      const unit = pick([DAY_MS, 900_000, 1]);
      const cut = (time: number) => new Date(Math.floor(time / unit) * unit);
      return { start: cut(start), end: cut(end + unit), granularity, timezone: pick(ZONES) };
    };

    /** Conditions that kept counts of deleted events cannot answer. */
    const CONDITIONS: (() => FilterValues)[] = [
      () => ({ country: ['DE', 'JP'], city: [pick(["L'Aquila", String.raw`back\slash`])] }),
      () => ({ browser: [pick(['Chrome', '\u{1f98a}fox'])] }),
      () => ({ types: ['qr'] }),
      () => ({ referer: ['NEWS'], url: [pick(['page', 'utm', '%'])] }),
      () => ({ url: ['EXAMPLE'] }),
      () => ({ utm_source: [pick(['MAIL', 'ä', 'k', '\u212a'])] }),
      () => ({ source: pick([['Facebook'], ['x.example', '(direct)'], ['www.x']]) }),
      () => ({ source: ['facebook', 'x.example'], referer: ['WWW'] }),
      () => ({ os: ['KaiOS', 'iOS'] }),
      () => ({ utm_term: ['a b'], utm_source: ['ä'] }),
      () => ({ pageId: ['page_1'] }),
      () => ({ variant: ['A'] }),
      () => ({ root: pick([true, false]) }),
      () => ({ types: [] }),
    ];

    /** Compares the answers of both stores, with ids of records replaced by numbers. */
    async function compare(
      what: string,
      ask: (side: EventsStore, projectId: string, records: string[]) => Promise<unknown>,
    ): Promise<void> {
      const [expected, found] = await Promise.all(
        sides.map(async (side) => {
          const answer = await ask(side.store, side.projectId, side.records);
          const text = JSON.stringify(answer).replaceAll(side.projectId, 'project');
          return JSON.parse(
            side.records.reduce((rest, id, at) => rest.replaceAll(id, `record ${at}`), text),
          ) as unknown;
        }),
      );
      expect(found, what).to.deep.equal(expected);
    }

    async function compareAll({ withConditions = true } = {}): Promise<void> {
      for (let round = 0; round < rounds; round += 1) {
        const span = aSpan();
        const condition = withConditions && random() < 0.6 ? pick(CONDITIONS)() : {};
        const excluding = FILTER_NAMES.filter(() => random() < 0.3);
        const [first, other] = [Math.floor(random() * 5), Math.floor(random() * 5)];
        const by = random();
        const traffic = pick(TRAFFIC);
        const filterOf = (records: string[]): EventFilter => ({
          conditions: conditionsOf(condition, excluding),
          traffic,
          ...(by < 0.3 ? { records: [...new Set([records[first]!, records[other]!])] } : {}),
          ...(by > 0.7 ? { domain: 'a.test' } : {}),
        });
        const drawn = EVENT_KINDS.filter(() => random() < 0.5);
        const events = drawn.length === 0 ? EVENT_KINDS : drawn;
        const what = JSON.stringify({ span, filter: filterOf(['first', 'other']), events });
        const question = (projectId: string, records: string[]) => ({
          projectId,
          span,
          filter: filterOf(records),
          events,
        });
        await compare(`totals ${what}`, (side, ...of) => side.totals(question(...of)));
        await compare(`times ${what}`, (side, ...of) => side.countByTime(question(...of)));
        const dimension = pick(COUNTED);
        await compare(`${dimension} ${what}`, (side, ...of) =>
          side.countByValue(question(...of), dimension),
        );
        if (!withConditions) continue;
        await compare(`visitors ${what}`, (side, ...of) => side.countVisitors(question(...of)));
        const kind = pick(EVENT_KINDS);
        const page = {
          limit: 20,
          offset: pick([0, 0, 7, 300]),
          order: pick(['asc', 'desc'] as const),
          ...(random() < 0.5
            ? { after: { atMicros: span.start.getTime() * 1000, id: 'evt_00000500' } }
            : {}),
        };
        const most = pick([10, 10_000]);
        const selection = (...of: [string, string[]]) => ({ ...question(...of), kind });
        await compare(`list ${what} ${JSON.stringify(page)}`, (side, ...of) =>
          side.list(selection(...of), page),
        );
        await compare(`number ${what}`, (side, ...of) => side.countUpTo(selection(...of), most));
      }
      await compare('first time', (side, projectId) => side.findFirstTime(projectId));
      for (const dimension of ['browser', 'url'] as const) {
        await compare(`values of ${dimension}`, async (side, projectId) =>
          (await side.listValues(projectId, dimension))?.toSorted(),
        );
      }
      await compare('sums', async (side, projectId, records) =>
        Object.fromEntries(await side.sumStored(db(), projectId, [...records, 'page_1'])),
      );
      await compare('known', async (side, projectId) =>
        [
          ...(await side.findKnown(db(), projectId, ['evt_00000003', 'evt_00001700', 'evt_none'])),
        ].toSorted(),
      );
    }

    it('are listed and counted as in Postgres, while some of them wait', () => compareAll());

    it('are the same once all are moved', async () => {
      await store.compact(log);
      await compareAll();
    });

    it('are the same after events of a record were erased', async () => {
      await append(200);
      for (const { store: one, projectId, records } of sides) {
        await db().transaction((trx) => one.eraseRecords(trx, projectId, [records[3]!]));
      }
      await compareAll();
      await append(100);
      await compareAll();
    });

    /** Builds some event blocks in Postgres, and resolves with their number. */
    async function buildSomeBlocks(projectId: string): Promise<number> {
      await buildBlocksOf(projectId, Infinity, { block: 100, newest: 0, settleMs: 0 });
      const built = await db()('event_blocks')
        .where({ project_id: projectId })
        .whereNotNull('size');
      return built.length;
    }

    it('are the same while they are moved to Postgres and back, and no visit is left behind', async () => {
      const { projectId } = sides[1]!;
      const inEvents = async () => {
        const sql = 'SELECT count(*) AS n FROM events WHERE project_id = ? AND event = ANY(?)';
        const [row] = await rows<{ n: number }>(db(), sql, [projectId, MOVED_STORED_KINDS]);
        return row!.n;
      };
      expect(await moveToPostgres(clickhouse, projectId)).to.be.greaterThan(1_000);
      const all = await inEvents();
      expect([await countIn(projectId), all]).to.deep.equal([0, await totalOf(projectId)]);
      await compareAll();
      await append(100);
      await compareAll();
      expect(await buildSomeBlocks(projectId)).to.be.greaterThan(2);
      expect(await moveToClickHouse(clickhouse, projectId)).to.equal(all);
      expect([await countIn(projectId), await inEvents()]).to.deep.equal([
        await totalOf(projectId),
        0,
      ]);
      await compareAll();
      expect(await buildSomeBlocks(projectId)).to.be.greaterThan(2);
      await moveToPostgres(clickhouse, projectId);
      await compareAll();
      await moveToClickHouse(clickhouse, projectId);
    });

    it('are moved by the command, which compares their numbers', async function () {
      if (!isWhole) this.skip();
      const { projectId } = sides[1]!;
      const { slug } = (await db()('workspaces').where({ id: projectId }).first('slug'))!;
      const total = await totalOf(projectId);
      const move = async (to: string) => {
        const args = ['dist/programs/cli.js', 'events', 'move', '--to', to, '--workspace', slug];
        const env = { ...process.env, EVENTS_URL: server.url };
        const run = promisify(execFile);
        return JSON.parse((await run(process.execPath, [...args, '--json'], { env })).stdout);
      };
      const moved = [{ workspace: slug, moved: total, before: total, after: total }];
      expect(await move('postgres')).to.deep.equal(moved);
      expect(await move('clickhouse')).to.deep.equal(moved);
      expect(await move('clickhouse')).to.deep.equal([{ ...moved[0], moved: 0 }]);
      await compareAll();
    });

    it('have the same counts after retention, and when older events come late', async () => {
      const days = Math.floor((Date.now() - Date.UTC(2025, 5, 10)) / DAY_MS);
      for (const { store: one, projectId } of sides) {
        await db()('workspaces').where({ id: projectId }).update({ retention_days: days });
        await one.retain(log);
      }
      await compareAll({ withConditions: false });
      await append(200);
      await compareAll();
      await store.compact(log);
      await compareAll();
      for (const { store: one } of sides) await one.retain(log);
      await compareAll({ withConditions: false });
      for (const { store: one, projectId } of sides) await one.rebuild(projectId);
      await compareAll({ withConditions: false });
    });
  });
}

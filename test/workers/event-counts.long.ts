import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import { eventRecords } from '../../src/event-records/event-records.ts';
import { resolveRecords } from '../../src/event-records/resolve.ts';
import type { EventRow } from '../../src/events/event.ts';
import {
  EVENT_KINDS,
  EVENT_PARAMETERS,
  type EventKind,
  kindOfStored,
  kindsOf,
  suspectKind,
  TRAFFIC,
} from '../../src/events/kinds.ts';
import { type FilterQuery, resolveFilter } from '../../src/events/query/filters.ts';
import { GROUPS, type GroupName } from '../../src/events/query/groups/index.ts';
import type { Numbers } from '../../src/events/query/numbers.ts';
import type { Granularity, Span } from '../../src/events/span.ts';
import { append } from '../../src/events/store/postgres/append.ts';
import { buildBlocksOf } from '../../src/events/store/postgres/build-blocks.ts';
import { Counts } from '../../src/events/store/postgres/counts.ts';
import { eraseRecords } from '../../src/events/store/postgres/erase.ts';
import { findBlocks, isBlock } from '../../src/events/store/postgres/read-blocks.ts';
import { retainEvents } from '../../src/events/store/postgres/retention.ts';
import { postgresStore } from '../../src/events/store/postgres/store.ts';
import { cutSums } from '../../src/events/store/postgres/sums.ts';
import type { CountQuery } from '../../src/events/store/store.ts';
import { db } from '../../src/infra/db.ts';
import { seeded } from '../qr/pairwise.ts';
import { anEvent } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { entriesOf } from '../support/packed-counts.ts';
import { aWorkspace, type World } from '../support/world.ts';

/*
 * Analytics from sums, blocks and kept counts must equal analytics from rows: random events, random
 * questions, every group. Each run asks other questions; EVENT_QUESTIONS sets their number.
 */

const SEED = Number(process.env['EVENT_SEED'] ?? Date.now() % 1_000_000);
const COUNT = 2_000;
/** Number of questions per group and filter. */
const QUESTIONS = Number(process.env['EVENT_QUESTIONS']) || 2;
/**
 * Most events are in sums, where the first links have counts of their own, and of which a question
 * can leave out a few blocks.
 */
const SIZES = {
  block: 40,
  newest: 50,
  settleMs: 0,
  sum: { blocks: 8, many: 50 },
};
const DAY_MS = 86_400_000;
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
const isVisitor = (kind: EventKind) => ['click', 'scan', 'view'].includes(kind);
const KINDS: EventKind[] = ['click', 'click', 'click', 'scan', 'view', 'lead', 'sale', 'refund'];
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
  'https://example.com/?utm_source=Mail&utm_medium=A+b&utm_campaign=%C3%84',
  'https://example.com/?utm_source=MAIL&utm_term=x&utm_content=Y',
  `https://example.com/?utm_content=${'long'.repeat(120)}&utm_source=%zz`,
];
/** Their UTM parameters, as people read them. */
const UTM: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [URLS[6]!]: { utm_source: 'mail', utm_medium: 'a b' },
  [URLS[7]!]: { utm_source: 'mail', utm_medium: 'a b', utm_campaign: 'ä' },
  [URLS[8]!]: { utm_source: 'Mail', utm_medium: 'A b', utm_campaign: 'Ä' },
  [URLS[9]!]: { utm_source: 'MAIL', utm_term: 'x', utm_content: 'Y' },
  [URLS[10]!]: { utm_content: 'long'.repeat(120), utm_source: '%zz' },
};
/** Stored referrers, and the sources that they are. */
const REFERERS: Readonly<Record<string, string>> = {
  '(direct)': '(direct)',
  'news.example': 'news.example',
  'www.news.example': 'news.example',
  'x.example': 'x.example',
  'facebook.com': 'Facebook',
  'www.facebook.com': 'Facebook',
  'l.facebook.com': 'Facebook',
  'com.facebook.katana': 'Facebook',
  'www.google.co.uk': 'Google',
  'com.google.android.gm': 'Gmail',
  'mail.google.com': 'Gmail',
};

describe(`counts of events (seed ${SEED})`, () => {
  let world: World;
  let records: string[];
  let tagId: string;
  let folderId: string;
  let pageId: string;
  /** All events that are counted. */
  let stored: EventRow[] = [];
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
    stored.push(...events);
    for (let at = 0; at < count; at += 500) {
      await db().transaction((trx) => append(trx, events.slice(at, at + 500)));
    }
  }

  /**
   * Builds blocks and sums until none is pending, since the scheduled job can claim blocks too. The
   * sums that it makes have more blocks than these tests ask for, so they are made again.
   */
  async function build(): Promise<void> {
    const { projectId } = world;
    const larger = db()('event_block_sums')
      .where({ project_id: projectId })
      .where('blocks', '>', SIZES.sum.blocks);
    await eventually(async () => {
      await buildBlocksOf(projectId, Infinity, SIZES);
      const empty = await db()('event_blocks').where({ project_id: projectId, size: null });
      expect(empty).to.deep.equal([]);
      const released = await db()('event_blocks')
        .where({ project_id: projectId })
        .whereIn('sum_id', larger.clone().select('id'))
        .update({ sum_id: null });
      expect(released).to.equal(0);
    });
  }

  /** Deletes all events of two links, one of which has many. */
  async function eraseSome(): Promise<void> {
    const erased = [records[1]!, records[4]!];
    await db().transaction((trx) => eraseRecords(trx, world.projectId, erased));
    stored = stored.filter(({ link_id }) => link_id === null || !erased.includes(link_id));
  }

  function event(projectId: string, at: number, pageId: string): EventRow {
    const kind = pick(KINDS);
    // Most events belong to the first records, so that these have many and the last ones few.
    const suspect = isVisitor(kind) && random() < 0.3 ? pick(['burst', 'headless']) : null;
    const record = kind === 'scan' ? records.at(-1)! : records[Math.floor(random() ** 3 * 6)]!;
    return anEvent(projectId, {
      id: `evt_${String(at).padStart(8, '0')}`,
      event: suspect === null ? kind : suspectKind(kind as 'click' | 'scan' | 'view'),
      suspect,
      occurred_at: new Date(FIRST + random() * (LAST - FIRST)).toISOString(),
      link_id: random() < 0.05 && kind === 'click' ? null : record,
      domain: pick(['a.test', 'b.test']),
      country: pick(['DE', 'FR', 'JP', 'BR', 'Unknown', 'XK']),
      region: pick(['A', 'B']),
      city: pick(['Springfield', 'Berlin', 'Ōsaka', 'tab\tname']).replace('\t', ' '),
      continent: '',
      device: pick(['Desktop', 'Mobile', 'Tablet']),
      browser: pick(['Chrome', 'Safari', 'Firefox']),
      os: pick(['iOS', 'Android', 'Windows', 'KaiOS', 'KAIOS']),
      referer: pick(Object.keys(REFERERS)),
      referer_url: pick(['(direct)', 'https://news.example/a', `${LONG}&r`]),
      url: pick(URLS),
      variant: pick(['A', 'B', null]),
      via: pick(['link', 'qr']),
      page_id: kind === 'view' ? pageId : null,
      visitor: isVisitor(kind) && random() < 0.6 ? 'new' : null,
      event_name:
        kind === 'lead' ? pick(['Sign up', 'Trial']) : kind === 'sale' ? 'Purchase' : null,
      amount_cents: kind === 'sale' || kind === 'refund' ? Math.floor(random() * 100_000) : null,
    });
  }

  function aSpan(): Span {
    const [a, b] = [random(), random()].toSorted((x, y) => x - y) as [number, number];
    const length = LAST - FIRST;
    const from = FIRST + a * length;
    // Both ends of a span are at a day, a quarter of an hour, or any millisecond.
    const unit = pick([DAY_MS, 900_000, 1]);
    const granularity: Granularity = pick(['hour', 'day', 'month']);
    const to =
      granularity === 'hour' ? Math.min(from + 5 * DAY_MS * random(), LAST) : FIRST + b * length;
    const cut = (time: number) => new Date(Math.floor(time / unit) * unit);
    return { start: cut(from), end: cut(to + unit), granularity, timezone: pick(ZONES) };
  }

  const filters: [what: string, query: () => FilterQuery][] = [
    ['everything', () => ({})],
    ['a domain', () => ({ domain: [pick(['a.test', 'b.test'])] })],
    ['a link', () => ({ linkId: [pick(records.slice(0, 6))] })],
    ['a QR code', () => ({ qrcodeId: [records.at(-1)!] })],
    ['a tag', () => ({ tagId: [tagId] })],
    ['a folder', () => ({ folderId: [folderId] })],
  ];

  interface Asked {
    name: GroupName;
    query: FilterQuery;
    question: CountQuery;
    isByRecord: boolean;
  }

  /** Names of all groups but trend_live, which reads current events. */
  const NAMES = (Object.keys(GROUPS) as GroupName[]).filter((name) => name !== 'trend_live');

  async function someQuestions(): Promise<Asked[]> {
    const { projectId } = world;
    const asked: Asked[] = [];
    for (const [, queryOf] of filters) {
      for (const name of NAMES) {
        for (let n = 0; n < QUESTIONS; n += 1) {
          const query = { ...queryOf(), traffic: pick(TRAFFIC) };
          const filter = await resolveFilter(projectId, query, resolveRecords);
          const events = kindsOf(pick(EVENT_PARAMETERS));
          const question = { projectId, span: aSpan(), filter, events };
          asked.push({ name, query, question, isByRecord: filter.records !== undefined });
        }
      }
    }
    return asked;
  }

  /** Questions about whole units of kept counts, which are by quarter-hour, and of records by day. */
  async function wholeQuestions(): Promise<Asked[]> {
    const cut = (time: Date, unit: number) => new Date(Math.floor(time.getTime() / unit) * unit);
    return (await someQuestions()).map((asked) => {
      const { span } = asked.question;
      const unit = asked.isByRecord ? DAY_MS : 900_000;
      const whole = { ...span, start: cut(span.start, unit), end: cut(span.end, unit) };
      return { ...asked, question: { ...asked.question, span: whole } };
    });
  }

  const answer = ({ name, question }: Asked) => GROUPS[name].read(question, eventRecords.names);

  /** Answers questions from rows alone. */
  async function fromRows(questions: readonly Asked[]): Promise<unknown[]> {
    await db()('event_blocks').where({ project_id: world.projectId }).delete();
    const answers: unknown[] = [];
    for (const asked of questions) answers.push(await answer(asked));
    return answers;
  }

  async function expectAnswers(questions: readonly Asked[], answers: readonly unknown[]) {
    for (const [at, asked] of questions.entries()) {
      const { name, query, question } = asked;
      const what = JSON.stringify({ SEED, name, query, span: question.span });
      expect(await answer(asked), what).to.deep.equal(answers[at]);
    }
  }

  /** Counts the sums of which a question reads all, and subtracts blocks, and those blocks. */
  async function cut(start: Date, end: Date): Promise<[sums: number, blocks: number]> {
    const { projectId } = world;
    const { parts } = await findBlocks(db(), projectId, [start, end]);
    const { sums, outside } = await cutSums(db(), projectId, parts.filter(isBlock), [start, end]);
    return [sums.size, outside.length];
  }

  /** Returns the events that a question is about. */
  const counted = ({ span, events, filter: { records: ids, domain, traffic } }: CountQuery) =>
    stored.filter((event) => {
      const at = new Date(event.occurred_at);
      return (
        events.includes(kindOfStored(event.event)) &&
        isOfTraffic(event, traffic) &&
        at >= span.start &&
        at < span.end &&
        (ids === undefined || (event.link_id !== null && ids.includes(event.link_id))) &&
        (domain === undefined || event.domain === domain)
      );
    });

  function isOfTraffic({ event, suspect }: EventRow, traffic: string | undefined): boolean {
    if (traffic === 'all') return true;
    if (traffic === 'suspect') return isVisitor(kindOfStored(event)) && suspect !== null;
    return suspect === null;
  }

  /** Counts events in plain code. */
  function numbersOf(some: readonly EventRow[], events: readonly EventKind[]): Numbers {
    const numbers: Numbers = {};
    for (const kind of events) {
      const ofKind = some.filter(({ event }) => kindOfStored(event) === kind);
      numbers[`${kind}s`] = ofKind.length;
      const sum = ofKind.reduce((all, { amount_cents }) => all + (amount_cents ?? 0), 0);
      if (kind === 'sale') numbers['saleAmount'] = sum;
      if (kind === 'refund') numbers['refundAmount'] = sum;
    }
    if (numbers['saleAmount'] !== undefined) numbers['saleAmount'] -= numbers['refundAmount'] ?? 0;
    const isVisit = (event: EventKind) => event === 'click' || event === 'scan';
    const visited = events.some(isVisit) ? events.filter(isVisit) : ['view'];
    if (events.some((kind) => isVisit(kind) || kind === 'view')) {
      numbers['visitors'] = some.filter(
        ({ event, visitor }) => visited.includes(kindOfStored(event)) && visitor === 'new',
      ).length;
    }
    return numbers;
  }

  /** Compares the totals of questions, and those of their groups, with counts in plain code. */
  async function expectTotals(questions: readonly Asked[]) {
    for (const { question } of questions) {
      const what = JSON.stringify({ SEED, question });
      const expected = numbersOf(counted(question), question.events);
      expect(await postgresStore.totals(question), what).to.deep.equal(expected);
      for (const rows of [
        await postgresStore.countByValue(question, 'country'),
        await postgresStore.countByTime(question),
      ]) {
        const sums = Object.fromEntries(Object.keys(expected).map((name) => [name, 0]));
        for (const { numbers } of rows) {
          for (const [name, number] of Object.entries(numbers)) sums[name]! += number;
        }
        expect(sums, what).to.deep.equal(expected);
      }
    }
  }

  /** Values of the groups that several stored values share, without regard to how they are stored. */
  const SHARED: Partial<Record<GroupName, { field: string; of(event: EventRow): string }>> = {
    sources: { field: 'source', of: ({ referer }) => REFERERS[referer]! },
    os: { field: 'os', of: ({ os }) => (os === 'KAIOS' ? 'KaiOS' : os) },
    ...Object.fromEntries(
      ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'].map((field) => [
        `${field}s`,
        { field, of: ({ url }: EventRow) => UTM[url]?.[field] ?? '' },
      ]),
    ),
  };

  /** Makes the rows of a group in plain code. */
  function rowsOf(
    { field, of }: { field: string; of(event: EventRow): string },
    question: CountQuery,
  ): Record<string, unknown>[] {
    const groups = new Map<string, { shown: string; some: EventRow[] }>();
    for (const event of counted(question)) {
      const value = of(event);
      if (value === '') continue;
      const key = field.startsWith('utm_') ? value.toLowerCase() : value;
      const group = groups.get(key) ?? { shown: value, some: [] };
      groups.set(key, group);
      if (value > group.shown) group.shown = value;
      group.some.push(event);
    }
    const first = `${question.events[0]!}s`;
    return Array.from(groups, ([key, { shown, some }]) => ({
      key,
      row: { [field]: shown, ...numbersOf(some, question.events) } as Record<string, unknown>,
    }))
      .toSorted((a, b) => Number(b.row[first]) - Number(a.row[first]) || (a.key < b.key ? -1 : 1))
      .map(({ row }) => row);
  }

  /** Compares the groups of shared values with counts in plain code. */
  async function expectGroups(questions: readonly Asked[]) {
    const shared = questions.filter(({ name }) => SHARED[name] !== undefined);
    expect(shared).to.have.length.greaterThan(0);
    for (const asked of shared) {
      const { name, query, question } = asked;
      const what = JSON.stringify({ SEED, name, query, span: question.span });
      expect(await answer(asked), what).to.deep.equal(rowsOf(SHARED[name]!, question));
    }
  }

  const sums = async () => {
    const { rows } = await db().raw<{ rows: { owners: number }[] }>(
      `SELECT count(DISTINCT owner)::int AS owners FROM event_block_counts c
        WHERE project_id = :projectId AND (
          SELECT count(*) = max(s.blocks) FROM event_blocks b
            JOIN event_block_sums s ON s.project_id = b.project_id AND s.id = b.sum_id
           WHERE b.project_id = c.project_id AND b.sum_id = c.sum_id)
        GROUP BY sum_id`,
      { projectId: world.projectId },
    );
    return rows;
  };

  /** Ends a connection that builds blocks or sums, or deletes events, as if its process was killed. */
  async function endWriter(): Promise<number> {
    const { rows } = await db().raw<{ rows: object[] }>(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'
          AND query ~ '(INSERT INTO|UPDATE|DELETE FROM|COPY) (event_block|kept_|events )' ORDER BY random() LIMIT 1`,
    );
    return rows.length;
  }

  /** A link with fewer events than this is counted by rows, so all of them seem to have more. */
  const seemMany = () =>
    db()('counters').where({ project_id: world.projectId }).increment('visits', 1_000_000);

  it('are the same from sums and blocks, and after late events have emptied some', async function () {
    await seemMany();
    const questions = await someQuestions();
    const before = await fromRows(questions);
    await db()('events_stored').insert({ project_id: world.projectId, count: COUNT });
    await build();
    expect((await sums()).length).to.be.greaterThan(3);
    expect(Math.max(...(await sums()).map(({ owners }) => owners))).to.be.within(2, 7);
    await expectAnswers(questions, before);
    await expectGroups(questions);
    const times = stored.map((one) => Date.parse(one.occurred_at)).toSorted((a, b) => a - b);
    // The first sum without a block and a half, and the second without two blocks and a half.
    const [from, to] = [new Date(times[60]!), new Date(times[16 * 40 - 100]!)];
    await eventually(async () => {
      // The scheduled job can have made larger sums since, on a machine that is slow enough.
      await build();
      expect(await cut(from, to)).to.deep.equal([2, 5]);
    });
    // As much is left out as read.
    expect(await cut(new Date(times[170]!), new Date(times[319]!))).to.deep.equal([0, 0]);

    const { length } = await sums();
    const { projectId } = world;
    const oldest = new Date(FIRST + 1).toISOString();
    const first = { ...event(projectId, COUNT, pageId), occurred_at: oldest };
    await db().transaction((trx) => append(trx, [first]));
    stored.push(first);
    expect((await sums()).length).to.be.equal(length - 1);
    await add(COUNT + 1, 50);
    const late: unknown[] = [];
    for (const asked of questions) late.push(await answer(asked));
    expect(late).not.to.deep.equal(before);
    const recounted = questions.filter((_, at) => at % 10 === 0);
    await expectTotals(recounted);
    await build();
    await expectAnswers(questions, late);
    await expectTotals(recounted);
    await expectGroups(questions);
    await expectAnswers(questions, await fromRows(questions));
    await expectGroups(questions);
  });

  it('are the same after events were erased, and when blocks were built again', async function () {
    await db()('events_stored').insert({ project_id: world.projectId, count: COUNT });
    await build();
    await eraseSome();
    const questions = await someQuestions();
    const erased: unknown[] = [];
    for (const asked of questions) erased.push(await answer(asked));
    await build();
    await expectAnswers(questions, erased);
    await postgresStore.rebuild(world.projectId);
    await build();
    expect((await sums()).length).to.be.greaterThan(3);
    await expectAnswers(questions, erased);
    await expectGroups(questions);
    expect(erased).to.deep.equal(await fromRows(questions));
  });

  it('are the same after retention has deleted months, and while it deletes them', async function () {
    const { projectId, set } = world;
    await postgresStore.rebuild(projectId);
    await build();
    const questions = await wholeQuestions();
    const before: unknown[] = [];
    for (const asked of questions) before.push(await answer(asked));
    const all = {
      ...questions[0]!.question,
      span: { ...aSpan(), start: new Date(FIRST), end: new Date(LAST + DAY_MS) },
      events: [...EVENT_KINDS],
      filter: {},
    };
    const totals = await postgresStore.totals(all);
    const middle = Date.UTC(2025, 5, 15);
    await set({ retentionDays: Math.floor((Date.now() - middle) / DAY_MS) });
    const done = new AbortController();
    const asking = (async () => {
      while (!done.signal.aborted) expect(await postgresStore.totals(all)).to.deep.equal(totals);
    })();
    const building = (async () => {
      while (!done.signal.aborted) await buildBlocksOf(projectId, Infinity, SIZES);
    })();
    await retainEvents(log).finally(() => done.abort());
    await Promise.all([asking, building]);
    const oldest = await db()('events').where({ project_id: projectId }).min('occurred_at as at');
    expect(oldest[0]!['at'].toISOString()).to.match(/^2025-06-/);
    await expectAnswers(questions, before);
    await build();
    await expectAnswers(questions, before);
    await expectGroups(questions);
    await set({ retentionDays: 0 });
  });

  it('are the same after connections that build blocks or delete events were ended', async function () {
    const { projectId, set } = world;
    await postgresStore.rebuild(projectId);
    const questions = await wholeQuestions();
    const before: unknown[] = [];
    for (const asked of questions) before.push(await answer(asked));
    await set({ retentionDays: Math.floor((Date.now() - Date.UTC(2025, 7, 15)) / DAY_MS) });
    const done = new AbortController();
    let ended = 0;
    const ending = (async () => {
      for (; ended < 40 && !done.signal.aborted; await wait(random() * 30))
        ended += await endWriter();
      done.abort();
    })();
    const building = (async () => {
      while (!done.signal.aborted) await buildBlocksOf(projectId, Infinity, SIZES).catch(() => {});
    })();
    const oldest = async () => {
      const [row] = await db()('events').where({ project_id: projectId }).min('occurred_at as at');
      return row!['at'].toISOString();
    };
    await eventually(async () => {
      await retainEvents(log).catch(() => {});
      expect(await oldest()).to.match(/^2025-08-/);
    });
    await eventually(() => expect(ended).to.be.greaterThan(5)).finally(() => done.abort());
    await Promise.all([ending, building]);
    await expectAnswers(questions, before);
    await build();
    await expectAnswers(questions, before);
    expect(before).to.deep.equal(await fromRows(questions));
    await set({ retentionDays: 0 });
  });

  it('sum amounts exactly, stop at the largest, and never prevent a sale from being recorded', async () => {
    const { api, projectId, set } = await aWorkspace();
    const { body: link } = await api.post('/links', { url: 'https://example.com/' });
    const occurred_at = new Date(Date.now() - 100 * DAY_MS).toISOString();
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

    await set({ retentionDays: 30 });
    await retainEvents(log);
    expect(await db()('events').where({ project_id: projectId })).to.deep.equal([]);
    expect(await amounts()).to.deep.equal(all(Number.MAX_SAFE_INTEGER));
    const nearly = '9223372036854775800';
    for (const kept of await db()('kept_counts').where({ project_id: projectId, step: 'm' })) {
      const made = new Counts();
      for (const [id, count] of entriesOf(kept.counts)) made.add(id, count, BigInt(nearly));
      const { counts: _, quarters: __, ...key } = kept;
      await db()('kept_counts').where(key).update({ counts: made.pack() });
    }
    await db()('counters').where({ project_id: projectId }).update({ sale_amount_cents: nearly });
    await add([1e12, 1e12], 9_010);
    await add([1e12], 9_012);
    const answers = new Set(await amounts());
    expect([...answers]).to.deep.equal([Number.MAX_SAFE_INTEGER]);
  });
});

import { expect } from 'chai';
import { pino } from 'pino';
import { DIMENSION_NAMES, type DimensionName, dimensionOf } from '../../src/events/dimensions.ts';
import type { EventRow } from '../../src/events/event.ts';
import {
  conditionsOf,
  type EventFilter,
  FILTER_NAMES,
  type FilterValues,
} from '../../src/events/filters.ts';
import { EVENT_KINDS, type EventKind } from '../../src/events/kinds.ts';
import type { Span } from '../../src/events/span.ts';
import { append } from '../../src/events/store/postgres/append.ts';
import { buildBlocksOf } from '../../src/events/store/postgres/build-blocks.ts';
import { eraseRecords } from '../../src/events/store/postgres/erase.ts';
import { retainEvents } from '../../src/events/store/postgres/retention.ts';
import { postgresStore as store } from '../../src/events/store/postgres/store.ts';
import type { CountQuery } from '../../src/events/store/store.ts';
import { db } from '../../src/infra/db.ts';
import { seeded } from '../qr/pairwise.ts';
import { anEvent } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, type World } from '../support/world.ts';

/*
 * Answers from blocks must equal answers from events: random events and filtered queries, before
 * and after blocks are deleted.
 */

const SEED = Number(process.env['BLOCKS_SEED'] ?? Date.now() % 1_000_000);
const COUNT = 3_000;
const QUESTIONS = 12;
const SIZES = {
  block: 200,
  newest: 300,
  settleMs: 0,
  sum: { blocks: 3, many: 50 },
};
const FIRST = Date.UTC(2025, 9, 1);
const LENGTH = 40 * 86_400_000;
const KINDS: EventKind[] = ['click', 'click', 'click', 'scan', 'view', 'lead', 'sale', 'refund'];
const log = pino({ level: 'silent' });
/** URL too long for an index key, with a unique part. */
const LONG = `https://example.com/?q=${'long'.repeat(300)}`;
const URLS = [
  'https://example.com/',
  'https://example.com/page?a=1',
  '',
  LONG,
  'https://example.com/?utm_source=mail&utm_medium=a%20b#x',
  'https://example.com/Page?utm_source=mail&utm_campaign=%C3%A4',
  'https://example.com/?utm_source=Mail&utm_campaign=%C3%84',
];
const LINKS = ['link_a', 'link_b', 'link_c', 'link_d'];

describe(`blocks of events (seed ${SEED})`, () => {
  const random = seeded(SEED);
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!;
  let world: World;
  let projectId: string;
  let made = 0;

  function anyEvent(from = FIRST, length = LENGTH): EventRow {
    const kind = pick(KINDS);
    const isRoot = random() < 0.1;
    made += 1;
    return anEvent(projectId, {
      id: `evt_${String(made).padStart(8, '0')}`,
      event: kind,
      // Some events share their time, and others are alone in their days.
      occurred_at: new Date(
        from + Math.floor(random() ** 2 * (length / 60_000)) * 60_000 + pick([0, 0, 1]),
      ).toISOString(),
      link_id: isRoot ? null : LINKS[Math.floor(random() ** 2 * LINKS.length)]!,
      key: isRoot ? pick(['_root', 'gone']) : 'k',
      domain: random() < 0.3 ? 'b.test' : 'a.test',
      continent: pick(['EU', 'AS', '']),
      country: random() < 0.01 ? 'NZ' : pick(['DE', 'FR', 'JP']),
      region: pick(['A', 'B']),
      city: pick(['Springfield', 'Berlin', 'Ōsaka', `City ${Math.floor(random() * 300)}`]),
      device: pick(['Desktop', 'Mobile', 'Tablet']),
      browser: pick(['Chrome', 'Safari', 'Firefox']),
      os: pick(['iOS', 'Android', 'Windows', 'KaiOS', 'KAIOS']),
      referer: pick([
        '(direct)',
        'news.example',
        'x.example',
        pick(['facebook.com', 'l.facebook.com', 'com.facebook.katana', 'www.news.example']),
        `site${Math.floor(random() * 600)}.example`,
      ]),
      referer_url: pick(['(direct)', 'https://news.example/a', `${LONG}&r`]),
      url: pick(URLS),
      variant: pick(['A', 'B', null]),
      visitor: pick(['new', null] as const),
      via: pick(['link', 'link', 'qr']),
      page_id: kind === 'view' ? 'page_1' : null,
      event_name:
        kind === 'lead' ? pick(['Sign up', 'Trial']) : kind === 'sale' ? 'Purchase' : null,
      amount_cents: kind === 'sale' || kind === 'refund' ? Math.floor(random() * 100_000) : null,
      ip: `192.0.2.${Math.floor(random() * 200)}`,
    });
  }

  const store500 = async (events: EventRow[]) => {
    for (let at = 0; at < events.length; at += 500) {
      await db().transaction((trx) => append(trx, events.slice(at, at + 500)));
    }
  };
  const some = (count: number, ...when: number[]) =>
    Array.from({ length: count }, () => anyEvent(...when));

  async function buildOnce(): Promise<void> {
    await db()('events_stored').insert({ project_id: projectId, count: COUNT });
    await buildBlocksOf(projectId, Infinity, SIZES);
  }
  /** Builds until no block is pending, since the scheduled job can claim blocks too. */
  async function build(): Promise<void> {
    do await buildOnce();
    while ((await blocks()).some(({ size }) => size === null));
  }
  const blocks = (): Promise<{ id: number; size: number | null }[]> =>
    db()('event_blocks').where({ project_id: projectId }).orderBy('from_at');
  const built = async () => (await blocks()).filter(({ size }) => size !== null);

  const RECORDS: (() => EventFilter)[] = [
    () => ({}),
    () => ({ records: pick([[pick(LINKS)], LINKS.slice(1), []]) }),
    () => ({ domain: pick(['a.test', 'b.test', 'c.test']) }),
  ];
  const VALUES: (() => FilterValues)[] = [
    () => ({}),
    () => ({ country: pick([['DE'], ['NZ'], ['FR', 'JP'], ['XX']]) }),
    () => ({ continent: [pick(['EU', ''])] }),
    () => ({ city: pick([['Berlin'], ['Ōsaka'], ['City 7', 'berlin']]) }),
    () => ({ device: ['Mobile'], os: pick([['iOS', 'Windows'], ['KaiOS']]) }),
    () => ({ browser: ['Chrome'] }),
    () => ({ types: pick([['qr'], ['qr', 'link'], []]) }),
    () => ({ referer: pick([['EWS'], ['site7', 'x.'], ['nowhere'], ['%']]) }),
    () => ({ url: pick([['page'], ['example'], ['_', 'page']]) }),
    () => ({ source: pick([['Facebook'], ['news.example', '(direct)'], ['nowhere']]) }),
    () => ({ source: ['Facebook', 'news.example'], referer: [pick(['NEWS', 'l.', 'facebook'])] }),
    () => pick([{ utm_source: ['mail'] }, { utm_source: ['MAIL'], utm_campaign: ['ä'] }]),
    () => ({ utm_medium: ['mail'], utm_term: ['a b'], utm_content: ['ä'] }),
    () => ({ pageId: ['page_1'] }),
    () => ({ variant: pick([['A'], ['A', 'B'], ['C']]) }),
    () => ({ root: random() < 0.5 }),
    () => ({ linkId: pick([[pick(LINKS)], LINKS.slice(1)]) }),
    () => ({ domain: pick([['a.test', 'c.test'], ['b.test']]) }),
    () => ({ utm_source: ['mail'], utm_campaign: pick([['ä'], ['ä', 'spring']]) }),
  ];
  const aFilter = (): EventFilter => ({
    ...pick(RECORDS)(),
    ...pick(RECORDS)(),
    conditions: conditionsOf(
      { ...pick(VALUES)(), ...pick(VALUES)() },
      FILTER_NAMES.filter(() => random() < 0.4),
    ),
  });

  function aSpan(): Span {
    const [a, b] = [random(), random()].toSorted((x, y) => x - y) as [number, number];
    const unit = pick([86_400_000, 900_000, 60_000, 1]);
    const cut = (part: number) => new Date(Math.floor((FIRST + part * LENGTH) / unit) * unit);
    const whole = random() < 0.3;
    const [start, end] = whole
      ? [new Date(FIRST - 86_400_000), new Date(FIRST + 2 * LENGTH)]
      : [cut(a), new Date(cut(b).getTime() + unit)];
    return {
      start,
      end,
      granularity: pick(['hour', 'day', 'month']),
      timezone: pick(['UTC', 'Asia/Kathmandu']),
    };
  }

  interface Asked {
    question: CountQuery;
    dimension: DimensionName;
    order: 'asc' | 'desc';
    limit: number;
    offset: number;
  }
  const aQuestion = (): Asked => ({
    question: {
      projectId,
      span: aSpan(),
      filter: aFilter(),
      events: pick<EventKind[]>([
        ['click'],
        ['click', 'scan'],
        ['lead', 'sale'],
        ['sale', 'refund'],
        [...EVENT_KINDS],
      ]),
    },
    dimension: pick(DIMENSION_NAMES.filter((name) => dimensionOf(name).isRaw !== true)),
    order: pick(['asc', 'desc']),
    limit: pick([1, 7, 100]),
    offset: pick([0, 0, 3, 40]),
  });

  async function answer({ question, dimension, order, limit, offset }: Asked) {
    const { span, filter, events } = question;
    const selection = { projectId, kind: events[0]!, span, filter };
    const page = await store.list(selection, { order, limit, offset });
    const last = page.at(-1);
    const after =
      last === undefined
        ? []
        : await store.list(selection, { order, limit, offset: 0, after: last });
    return {
      totals: await store.totals(question),
      values: await store.countByValue(question, dimension),
      times: await store.countByTime(question),
      ids: page.map(({ id }) => id),
      after: after.map(({ id }) => id),
      upTo: await store.countUpTo(selection, 25),
    };
  }

  /** Runs random queries with blocks, some of which still have events, and again without any. */
  async function compare(): Promise<void> {
    const answered: { asked: Asked; answers: Awaited<ReturnType<typeof answer>> }[] = [];
    let matched = 0;
    while (answered.length < QUESTIONS || matched < QUESTIONS) {
      const asked = aQuestion();
      const answers = await answer(asked);
      answered.push({ asked, answers });
      matched += answers.ids.length;
    }
    await db()('event_blocks').where({ project_id: projectId }).delete();
    for (const { asked, answers } of answered) {
      expect(answers, JSON.stringify({ SEED, asked })).to.deep.equal(await answer(asked));
    }
  }

  before(async function () {
    world = await aWorkspace();
    ({ projectId } = world);
    await store500(some(COUNT));
  });

  it('are compared for every filter', () => {
    const drawn = Array.from({ length: 50 }, () =>
      VALUES.flatMap((values) => Object.keys(values())),
    );
    expect(FILTER_NAMES.filter((name) => !drawn.flat().includes(name))).to.deep.equal([]);
  });

  it('have all events but the newest, and answer as these do', async function () {
    await build();
    const found = await built();
    expect(found).to.have.length.greaterThan(8);
    const inBlocks = found.reduce((sum, { size }) => sum + size!, 0);
    expect(inBlocks).to.be.within(COUNT - 500, COUNT - 300);
    await compare();
  });

  it('are emptied by events that come late, in the same transaction, and built again', async function () {
    await build();
    const before = await built();
    const late = some(20, FIRST, LENGTH / 100);
    const trx = await db().transaction();
    await append(trx, late);
    expect(await built(), 'until the commit').to.deep.equal(before);
    await trx.commit();
    const after = await built();
    expect(after).to.have.length.within(1, before.length - 1);
    const first = { ...aQuestion(), offset: 0, limit: 100 };
    first.question.filter = {
      conditions: conditionsOf({ country: ['DE', 'FR', 'JP', 'NZ'] }),
    };
    const counted = await store.totals({
      ...first.question,
      span: { ...aSpan(), start: new Date(FIRST), end: new Date(FIRST + LENGTH) },
      events: [...EVENT_KINDS],
    });
    expect(
      counted['clicks']! +
        counted['scans']! +
        counted['views']! +
        counted['leads']! +
        counted['sales']! +
        counted['refunds']!,
    ).to.equal(COUNT + 20);
    await compare();
    await build();
    await store500(some(20));
    await build();
    expect(await blocks()).to.deep.equal(await built());
    await compare();
  });

  it('are emptied by the erasure of links', async function () {
    await build();
    const before = await built();
    await db().transaction((trx) => eraseRecords(trx, projectId, ['link_d']));
    expect(await built()).to.have.length.lessThan(before.length);
    await compare();
    await build();
    await compare();
  });

  it('are not built while a transaction runs that may have stored an event of their time', async function () {
    const trx = await db().transaction();
    const late = anEvent(projectId, {
      id: 'evt_running',
      occurred_at: new Date(FIRST + 1).toISOString(),
      country: 'XK',
    });
    await append(trx, [late]);
    await buildOnce();
    expect(await built()).to.deep.equal([]);
    await trx.commit();
    await build();
    expect(await built()).to.have.length.greaterThan(8);
    await compare();
  });

  it('are claimed without waiting for a transaction that empties one of them', async function () {
    await build();
    await db()('event_blocks').where({ project_id: projectId }).update({ size: null, claim: null });
    const building = buildOnce();
    // The first blocks are claimed together, and the others once those are built.
    await eventually(async () => expect(await built()).not.to.be.empty);
    const trx = await db().transaction();
    const ofProject = () => db()('event_blocks').where({ project_id: projectId });
    const oldest = (await ofProject()
      .transacting(trx)
      .orderBy('to_at')
      .forUpdate()
      .first('id')) as {
      id: number;
    };
    try {
      await eventually(async () => {
        const waiting = ofProject().whereNull('size').whereNull('claim').whereNot(oldest);
        expect(await waiting).to.deep.equal([]);
      });
    } finally {
      await trx.rollback();
      await building;
    }
    await build();
    expect(await blocks()).to.deep.equal(await built());
    await compare();
  });

  it('are built again when the builder was killed', async function () {
    await build();
    const [first, second] = await built();
    await db()('event_blocks')
      .where({ project_id: projectId, id: first!.id })
      .update({ size: null, claim: 1 });
    await db()('event_blocks')
      .where({ project_id: projectId, id: second!.id })
      .update({ size: null });
    await build();
    expect(await blocks()).to.deep.equal(await built());
    await compare();
  });

  it('answer exactly while events are stored, erased and built at the same time', async function () {
    await build();
    const done = new AbortController();
    const question: CountQuery = {
      projectId,
      span: { ...aSpan(), start: new Date(FIRST), end: new Date(FIRST + LENGTH) },
      filter: { conditions: conditionsOf({ os: ['test'] }) },
      events: ['click'],
    };
    let committed = 0;
    const write = async () => {
      for (let n = 0; n < 10; n += 1) {
        const events = some(10).map((event) => ({
          ...event,
          event: 'click' as const,
          os: 'test',
          link_id: 'link_w',
        }));
        await db().transaction((trx) => append(trx, events));
        committed += 10;
        if (n % 5 === 4) await db().transaction((trx) => eraseRecords(trx, projectId, ['link_a']));
      }
    };
    const buildAll = async () => {
      while (!done.signal.aborted) await buildOnce();
    };
    const ask = async () => {
      while (!done.signal.aborted) {
        const least = committed;
        const { clicks } = await store.totals(question);
        expect(clicks).to.be.at.least(least);
        expect(clicks! % 10).to.equal(0);
      }
    };
    const others = [buildAll(), buildAll(), ask()];
    await Promise.all([write(), write()]).finally(() => {
      done.abort();
    });
    await Promise.all(others);
    expect((await store.totals(question))['clicks']).to.equal(200);
    await build();
    const found = await built();
    const times = await db()('event_blocks')
      .where({ project_id: projectId })
      .orderBy('from_at')
      .select('from_at', 'to_at');
    for (const [at, { from_at }] of times.slice(1).entries())
      expect(from_at).to.deep.equal(times[at]!.to_at);
    expect(found).to.have.length.greaterThan(8);
    await compare();
  });

  it('are made anew when they are dropped', async function () {
    await store500(some(500));
    await store.rebuild(projectId);
    expect(await built()).to.deep.equal([]);
    await build();
    const found = await built();
    const [{ count } = { count: 0 }] = await db()('events')
      .where({ project_id: projectId })
      .count();
    expect(found.reduce((sum, { size }) => sum + size!, 0)).to.equal(count);
    await compare();
  });

  it('end with the events that retention deletes', async function () {
    await build();
    await world.set({ retentionDays: 30 });
    await retainEvents(log);
    expect(await built()).to.deep.equal([]);
    await build();
    expect(await blocks()).to.deep.equal([]);
  });
});

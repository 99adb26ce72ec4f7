import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { SetupError } from '../scripts/embedded/servers.ts';
import { eventRecords } from '../src/event-records/event-records.ts';
import { resolveRecords } from '../src/event-records/resolve.ts';
import { conditionsOf, type EventFilter } from '../src/events/filters.ts';
import { kindsOf } from '../src/events/kinds.ts';
import { type FilterQuery, resolveFilter } from '../src/events/query/filters.ts';
import { GROUPS, type GroupName } from '../src/events/query/groups/index.ts';
import { eventsStore } from '../src/events/store/index.ts';
import type { CountQuery, Cursor } from '../src/events/store/store.ts';
import { db } from '../src/infra/db.ts';
import { percentileOf, thousands } from './figures.ts';
import { type BenchOptions, inTurn, type Row } from './rows.ts';
import { SEEDED } from './seed.ts';
import { withService } from './service.ts';

/** Queries per round for each group and each page. */
const RUNS = 25;
/** Pairs of filters per round. */
const PAIRS = 60;
const DAY_MS = 86_400_000;
/** Matches all events, whose columns must be read, since no sum can answer the filter. */
const READ_EVENTS: EventFilter = { conditions: conditionsOf({ types: ['link', 'qr'] }) };

/**
 * Compares every group over the seeded events from sums and blocks, over periods of any length and
 * alignment, with a count of every event; then pairs of filters, for which events are counted as
 * well. Missing events are created first.
 */
export async function benchAnalytics({ rounds }: BenchOptions): Promise<Row[]> {
  makeEvents();
  return withService(async ({ projectId }) => {
    const among = await describeEvents(projectId);
    return [
      ...(await benchGroups(projectId, among, rounds)),
      ...(await benchFilters(projectId, among, rounds)),
      ...(await benchPages(projectId, among, rounds)),
    ];
  }, SEEDED);
}

/** Creates the seeded events if they are missing. */
export function makeEvents(): void {
  if (existsSync(SEEDED)) return;
  // A separate process, since the settings of a service cannot change while it runs.
  const { status } = spawnSync(process.execPath, ['dist/bench/seed.js'], {
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) throw new SetupError('The events could not be made, see above');
}

/** Describes the events of a workspace, for the table. */
export async function describeEvents(projectId: string): Promise<string> {
  const [row] = await db()('events').where({ project_id: projectId }).count('* as n');
  return `${thousands(Number(row!['n']))} events of a year`;
}

/** Names of all groups. */
export const GROUP_NAMES = Object.keys(GROUPS) as GroupName[];

/**
 * Measures queries about a group, in ms: percentiles over periods of any length, and over the whole
 * year.
 */
export async function askGroup(projectId: string, name: GroupName) {
  const everything = await resolveFilter(projectId, {}, resolveRecords);
  const events = kindsOf(GROUPS[name].defaultEvent ?? 'clicks');
  const ask = (span: CountQuery['span'], more: EventFilter = {}) =>
    timed(() =>
      GROUPS[name].read(
        { projectId, span, filter: { ...everything, ...more }, events },
        eventRecords.names,
      ),
    );
  await ask(aYear());
  const times: number[] = [];
  for (let n = 0; n < RUNS; n += 1) times.push((await ask(aSpan())).ms);
  const year = await ask(aYear());
  return {
    p50: percentileOf(times, 0.5),
    p95: percentileOf(times, 0.95),
    year: year.ms,
    everyEvent: (await ask(aYear(), READ_EVENTS)).ms,
  };
}

async function benchGroups(projectId: string, among: string, rounds: number): Promise<Row[]> {
  const measured = await inTurn(
    rounds,
    Object.fromEntries(GROUP_NAMES.map((name) => [name, () => askGroup(projectId, name)])),
  );
  return GROUP_NAMES.flatMap((name): Row[] => {
    const figuresOf = (figure: 'p50' | 'p95' | 'year' | 'everyEvent') =>
      measured[name]!.map((round) => round[figure]);
    const row = (what: string, figure: 'p50' | 'p95' | 'year'): Row => ({
      what: `${name} of ${among}, ${what}`,
      unit: 'ms',
      better: 'less',
      ours: figuresOf(figure),
    });
    return [
      row('any span, p50', 'p50'),
      { ...row('any span, p95', 'p95'), aim: { ours: 50 } },
      {
        ...row('all', 'year'),
        baseline: { what: 'counting every event', figures: figuresOf('everyEvent') },
      },
    ];
  });
}

/** Measures pages of events, early and late ones. */
async function benchPages(projectId: string, among: string, rounds: number): Promise<Row[]> {
  const everything = await resolveFilter(projectId, {}, resolveRecords);
  const list = (offset: number, after?: Cursor) =>
    eventsStore().list(
      { projectId, kind: 'click', span: aYear(), filter: everything },
      {
        limit: 100,
        order: 'desc',
        offset,
        ...(after === undefined ? {} : { after }),
      },
    );
  const late = (await list(2_000_000)).at(-1)!;
  const pages: [string, () => Promise<unknown>][] = [
    ['page 1', () => list(0)],
    ['page 1,000', () => list(99_900)],
    ['after 2,000,000, by cursor', () => list(0, late)],
  ];
  const measured = await inTurn(
    rounds,
    Object.fromEntries(
      pages.map(([name, page]) => [
        name,
        async () => {
          const ms: number[] = [];
          for (let n = 0; n < RUNS; n += 1) ms.push((await timed(page)).ms);
          return percentileOf(ms, 0.95);
        },
      ]),
    ),
  );
  return pages.map(([name]) => ({
    what: `100 clicks of the list of ${among}, ${name}, p95`,
    unit: 'ms',
    better: 'less',
    ours: measured[name]!,
  }));
}

const FILTERS: (() => FilterQuery)[] = [
  () => ({ country: [pick(['US', 'DE', 'FI', 'NZ', 'KE'])] }),
  () => ({ city: [`City ${Math.floor(Math.random() * 300)}`] }),
  () => ({ device: [pick(['Mobile', 'Desktop', 'Tablet'])] }),
  () => ({ browser: [pick(['Firefox', 'Opera', 'Silk', 'Edge'])] }),
  () => ({ os: [pick(['Linux', 'macOS', 'Chrome OS', 'iOS'])] }),
  () => ({ referer: [`site${130 + Math.floor(Math.random() * 300)}`] }),
  () => ({ url: [`landing/${Math.floor(Math.random() * 500)}`] }),
  () => ({ type: 'qr' }),
  () => ({ domain: ['go.bench.test'] }),
];

/** Ranges of the number of events that two filters match. */
const MATCHED = [
  [0, 1_000],
  [1_000, 20_000],
  [20_000, 200_000],
  [200_000, 2_000_000],
  [2_000_000, Infinity],
] as const;

/** Measures pairs of filters, by the number of matched events. */
async function benchFilters(projectId: string, among: string, rounds: number): Promise<Row[]> {
  const measured = MATCHED.map(() => ({ p50: [] as number[], p95: [] as number[] }));
  for (let round = 0; round < rounds; round += 1) {
    const figures = await askPairs(projectId);
    for (const [index, [from, to]] of MATCHED.entries()) {
      const matching = figures.filter(({ matched }) => matched >= from && matched < to);
      if (matching.length === 0) continue;
      const ms = matching.map((figure) => figure.ms);
      measured[index]!.p50.push(percentileOf(ms, 0.5));
      measured[index]!.p95.push(percentileOf(ms, 0.95));
      const slowest = matching.toSorted((a, b) => b.ms - a.ms)[0]!;
      console.error(`${matching.length} pairs that match from ${from}, slowest:`, slowest);
    }
  }
  return MATCHED.flatMap(([from, to], index) =>
    (['p50', 'p95'] as const).map((percentile): Row => {
      const matched = `${thousands(from)} to ${to === Infinity ? 'all' : thousands(to)} of ${among}`;
      const ours = measured[index]![percentile];
      return {
        what: `two filters that match ${matched}, ${percentile}`,
        unit: 'ms',
        better: 'less',
        ours,
        ...(percentile === 'p95' && { aim: { ours: 300 } }),
        ...(ours.length === 0 && { skipped: 'no pair matched so many' }),
      };
    }),
  );
}

/** Measures queries with two filters, in ms. */
export async function askPairs(projectId: string) {
  const figures: { matched: number; ms: number; what: string }[] = [];
  for (let n = 0; n < PAIRS; n += 1) {
    const [first, second] = FILTERS.toSorted(() => Math.random() - 0.5);
    const query = { ...first!(), ...second!() };
    const filter = await resolveFilter(projectId, query, resolveRecords);
    const clicks = { projectId, span: aYear(), filter, events: ['click'] } as const;
    const { clicks: matched } = await eventsStore().totals(clicks);
    const group = pick(['countries', 'timeseries', 'devices', 'top_links', 'count'] as const);
    const { ms } = await timed(async () => {
      const asked = await resolveFilter(projectId, query, resolveRecords);
      const question: CountQuery = { projectId, span: aYear(), filter: asked, events: ['click'] };
      return GROUPS[group].read(question, eventRecords.names);
    });
    figures.push({ matched: matched!, ms, what: `${group} of ${JSON.stringify(query)}` });
  }
  return figures;
}

function pick<T>(all: readonly T[]): T {
  return all[Math.floor(Math.random() * all.length)]!;
}

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const began = performance.now();
  const value = await work();
  return { ms: performance.now() - began, value };
}

/** Any span of the year, to the millisecond. */
function aSpan(): CountQuery['span'] {
  const now = Date.now();
  const days = pick([1, 7, 30, 90, 180, 365]);
  const start = now - Math.random() * (365 - days) * DAY_MS - days * DAY_MS;
  const end = start + days * DAY_MS;
  const granularity = days === 1 ? 'hour' : days > 100 ? 'month' : 'day';
  const timezone = pick(['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/New_York']);
  return { start: new Date(start), end: new Date(end), granularity, timezone };
}

function aYear(): CountQuery['span'] {
  const now = Date.now();
  return {
    start: new Date(now - 366 * DAY_MS),
    end: new Date(now + DAY_MS),
    granularity: 'month',
    timezone: 'UTC',
  };
}

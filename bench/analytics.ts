import { existsSync } from 'node:fs';
import { SetupError } from '../scripts/embedded/servers.ts';
import { eventRecords } from '../src/event-records/event-records.ts';
import { resolveRecords } from '../src/event-records/resolve.ts';
import type { EventFilter } from '../src/events/filter.ts';
import { kindsOf } from '../src/events/kinds.ts';
import { type FilterQuery, resolveFilter } from '../src/events/query/filters.ts';
import { GROUPS, type GroupName } from '../src/events/query/groups/index.ts';
import { eventsStore } from '../src/events/store/index.ts';
import { filterSql, toSql } from '../src/events/store/postgres/filters.ts';
import type { Cursor, Question } from '../src/events/store/store.ts';
import { db } from '../src/infra/db.ts';
import { SEEDED } from './seed.ts';
import { percentileOf, thousands, withService } from './service.ts';

const RUNS = 25;
const RAW_RUNS = 1;
const PAIRS = 60;
const DAY_MS = 86_400_000;
/** Matches all events, and has them read, since no rollup can answer it. */
const READ_EVENTS: EventFilter = { via: ['link', 'qr'] };

/**
 * Every group over the seeded events: from rollups, over spans of any length and with ragged ends, against the plain
 * GROUP BY over the events of the same database. Then pairs of filters, which read events through indexes.
 */
export async function benchAnalytics(): Promise<void> {
  if (!existsSync(SEEDED)) throw new SetupError('There are no events: npm run bench:seed first');
  await withService(async ({ projectId }) => {
    const { rows } = await db().raw<{ rows: [{ count: number }] }>('SELECT count(*) FROM events');
    console.log(`${thousands(rows[0].count)} events of a year, in ms`);
    console.log('group            p50      p95   all, rollups   all, GROUP BY    ratio   members');
    const everything = await resolveFilter(projectId, {}, resolveRecords);
    for (const name of Object.keys(GROUPS) as GroupName[]) {
      const event = GROUPS[name].defaultEvent ?? 'clicks';
      const ask = (span: Question['span'], more: EventFilter = {}) =>
        timed(() =>
          GROUPS[name].ask(
            { projectId, span, filter: { ...everything, ...more }, events: kindsOf(event) },
            eventRecords.names,
          ),
        );
      await ask(aYear());
      const some: number[] = [];
      for (let n = 0; n < RUNS; n += 1) some.push((await ask(aSpan())).ms);
      const [rolled, raw]: [number[], number[]] = [[], []];
      let members = 0;
      for (let n = 0; n < RAW_RUNS; n += 1) {
        const answer = await ask(aYear());
        rolled.push(answer.ms);
        members = Array.isArray(answer.value) ? answer.value.length : 1;
        raw.push((await ask(aYear(), READ_EVENTS)).ms);
      }
      const [ours, theirs] = [percentileOf(rolled, 0.5), percentileOf(raw, 0.5)];
      console.log(
        `${name.padEnd(13)} ${cell(percentileOf(some, 0.5))} ${cell(percentileOf(some, 0.95))} ${cell(ours, 14)} ${cell(theirs, 15)} ${cell(theirs / ours, 8)} ${String(members).padStart(9)}`,
      );
    }
    await benchFilters(projectId);
    await benchPages(projectId);
  }, SEEDED);
}

/** Pages of events, early and late ones. */
async function benchPages(projectId: string): Promise<void> {
  console.log('\na hundred clicks of the list: p50, p95');
  const everything = await resolveFilter(projectId, {}, resolveRecords);
  const list = (offset: number, after?: Cursor) =>
    eventsStore.list(
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
  for (const [name, page] of pages) {
    const ms: number[] = [];
    for (let n = 0; n < RUNS; n += 1) ms.push((await timed(page)).ms);
    console.log(
      `${name.padEnd(28)} ${cell(percentileOf(ms, 0.5))} ${cell(percentileOf(ms, 0.95))}`,
    );
  }
}

const FILTERS: (() => FilterQuery)[] = [
  () => ({ country: [pick(['US', 'DE', 'FI', 'NZ', 'KE'])] }),
  () => ({ city: `City ${Math.floor(Math.random() * 300)}` }),
  () => ({ device: [pick(['Mobile', 'Desktop', 'Tablet'])] }),
  () => ({ browser: [pick(['Firefox', 'Opera', 'Silk', 'Edge'])] }),
  () => ({ os: [pick(['Linux', 'macOS', 'Chrome OS', 'iOS'])] }),
  () => ({ referer: `site${130 + Math.floor(Math.random() * 300)}` }),
  () => ({ url: `page=${Math.floor(Math.random() * 500)}` }),
  () => ({ type: 'qr' }),
  () => ({ domain: 'go.bench.test' }),
];

/** Any two filters, sorted by how many events they match. */
async function benchFilters(projectId: string): Promise<void> {
  const figures: { matched: number; ms: number; what: string }[] = [];
  for (let n = 0; n < PAIRS; n += 1) {
    const [first, second] = FILTERS.toSorted(() => Math.random() - 0.5);
    const query = { ...first!(), ...second!() };
    const filter = await resolveFilter(projectId, query, resolveRecords);
    const asSql = await toSql(projectId, filter);
    const { rows } = await db().raw<{ rows: [{ count: number }] }>(
      `SELECT count(*) FROM events e WHERE e.project_id = :projectId AND e.event = 'click' ${filterSql(asSql)}`,
      { ...asSql.bindings, projectId } as unknown as Record<string, string>,
    );
    const group = pick(['countries', 'timeseries', 'devices', 'top_links', 'count'] as const);
    const { ms } = await timed(async () => {
      const asked = await resolveFilter(projectId, query, resolveRecords);
      const question: Question = { projectId, span: aYear(), filter: asked, events: ['click'] };
      return GROUPS[group].ask(question, eventRecords.names);
    });
    figures.push({ matched: rows[0].count, ms, what: `${group} of ${JSON.stringify(query)}` });
  }
  console.log('\ntwo filters, events matched: p50, p95, slowest');
  for (const [from, to] of [
    [0, 1_000],
    [1_000, 20_000],
    [20_000, 200_000],
    [200_000, 2_000_000],
    [2_000_000, Infinity],
  ] as const) {
    const some = figures.filter(({ matched }) => matched >= from && matched < to);
    const ms = some.map((figure) => figure.ms);
    const slowest = some.toSorted((a, b) => b.ms - a.ms)[0];
    console.log(
      `${thousands(from).padStart(9)} to ${(to === Infinity ? 'all' : thousands(to)).padStart(9)}: ${String(some.length).padStart(3)} pairs ${cell(percentileOf(ms, 0.5))} ${cell(percentileOf(ms, 0.95))} ${cell(slowest?.ms ?? 0)}  ${slowest?.what ?? ''}`,
    );
  }
}

const cell = (figure: number, width = 8): string =>
  (figure < 100 ? figure.toFixed(1) : thousands(figure)).padStart(width);

function pick<T>(all: readonly T[]): T {
  return all[Math.floor(Math.random() * all.length)]!;
}

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const began = performance.now();
  const value = await work();
  return { ms: performance.now() - began, value };
}

/** Any span of the year, to the millisecond. */
function aSpan(): Question['span'] {
  const now = Date.now();
  const days = pick([1, 7, 30, 90, 180, 365]);
  const start = now - Math.random() * (365 - days) * DAY_MS - days * DAY_MS;
  const end = start + days * DAY_MS;
  const granularity = days === 1 ? 'hour' : days > 100 ? 'month' : 'day';
  const timezone = pick(['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/New_York']);
  return { start: new Date(start), end: new Date(end), granularity, timezone };
}

function aYear(): Question['span'] {
  const now = Date.now();
  return {
    start: new Date(now - 366 * DAY_MS),
    end: new Date(now + DAY_MS),
    granularity: 'month',
    timezone: 'UTC',
  };
}

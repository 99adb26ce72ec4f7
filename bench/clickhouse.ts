import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { SetupError } from '../scripts/embedded/servers.ts';
import { config } from '../src/config.ts';
import { COLUMNS } from '../src/events/columns.ts';
import { ClickHouse, literal } from '../src/events/store/clickhouse/connection.ts';
import { moveEvents } from '../src/events/store/clickhouse/move.ts';
import { MOVED_KINDS } from '../src/events/store/clickhouse/schema.ts';
import { buildBlocksOf } from '../src/events/store/postgres/build-blocks.ts';
import { postgresStore } from '../src/events/store/postgres/store.ts';
import { connectDb, db, execute, rows } from '../src/infra/db.ts';
import { createWorkspace } from '../src/workspaces/commands.ts';
import { findWorkspace } from '../src/workspaces/queries.ts';
import { ClickHouseServer, hasClickHouse } from '../test/support/clickhouse-server.ts';
import { postgresAdminUrl } from '../test/support/private-admin.ts';
import { withDescendants } from '../test/support/processes.ts';
import { describeEvents, GROUP_NAMES, makeEvents } from './analytics.ts';
import { processorMs } from './baselines.ts';
import type { AskedQuestions } from './clickhouse-questions.ts';
import { percentileOf } from './figures.ts';
import { postgresMs } from './processor.ts';
import type { BenchOptions, Row } from './rows.ts';
import { SEEDED } from './seed.ts';
import { type BenchService, withService } from './service.ts';

const DAY_MS = 86_400_000;
/** Days of seeded events that are put into the outbox at a time. */
const DAYS_AT_A_TIME = 25;
const NAMES = Object.keys(COLUMNS);
/** Slug of the workspace whose visits are in ClickHouse. */
const SLUG = 'bench-clickhouse';

/**
 * Measures the seeded events in a workspace whose visits are in ClickHouse: the speed of moving
 * them, their size, and all queries of the benchmark `analytics`, which Postgres answers in the
 * same run.
 */
export async function benchClickHouse({ rounds }: BenchOptions): Promise<Row[]> {
  if (!hasClickHouse()) throw new SetupError('clickhouse-server is not installed');
  makeEvents();
  return withService(async (service) => {
    const server = await ClickHouseServer.prepare(path.join(SEEDED, 'clickhouse'));
    await server.start();
    const clickhouse = new ClickHouse(server.url);
    try {
      const { projectId } = service;
      const other = (await findWorkspace(SLUG))?.id ?? (await makeWorkspace(service));
      // Repeated in every run, since an earlier one may have been interrupted.
      await postgresStore.rebuild(other);
      await buildBlocksOf(other, Infinity);
      await execute(db(), 'VACUUM ANALYZE events, links, qrcodes');
      await moveSeeded(projectId, other, clickhouse);
      const among = await describeEvents(projectId);
      return [
        ...(await benchMoving(projectId, other, server, rounds)),
        await sizeRow(clickhouse, among),
        ...(await benchPlain(projectId, other, clickhouse, among, rounds)),
        ...(await benchQuestions({ projectId, other }, server.url, among, rounds)),
      ];
    } finally {
      await clickhouse.close();
      await server.stop();
    }
  }, SEEDED);
}

/**
 * Creates a workspace with the links, QR codes, leads and sales of the seeded one. @returns its id
 */
async function makeWorkspace({ projectId }: BenchService): Promise<string> {
  const { id: other } = await createWorkspace(db(), { slug: SLUG, plan: 'enterprise' });
  const of = { projectId, other };
  await execute(
    db(),
    `INSERT INTO links (project_id, id, user_id, domain_id, key, url)
     SELECT :other, id, user_id, domain_id, key, url FROM links WHERE project_id = :projectId`,
    of,
  );
  await execute(
    db(),
    `INSERT INTO qrcodes (project_id, id, user_id, domain_id, key, type, url, content, design)
     SELECT :other, id, user_id, domain_id, key, type, url, content, design FROM qrcodes WHERE project_id = :projectId`,
    of,
  );
  await execute(
    db(),
    `INSERT INTO events (${NAMES.join(', ')}) SELECT ${copiedColumns()} FROM events
      WHERE project_id = :projectId AND NOT event = ANY(:kinds)`,
    { ...of, kinds: MOVED_KINDS },
  );
  await execute(
    db(),
    `INSERT INTO counters (project_id, record_id, visits)
     SELECT project_id, link_id, count(*) FROM events WHERE project_id = :other GROUP BY 1, 2`,
    { other },
  );
  return other;
}

const copiedColumns = () =>
  NAMES.map((name) => (name === 'project_id' ? ':other' : name)).join(', ');

/** Puts seeded visits into the outbox. @returns their number */
async function putInOutbox(
  projectId: string,
  other: string,
  { days, first }: { days: number; first: number },
): Promise<number> {
  const from = new Date(Date.now() - first * DAY_MS);
  const to = new Date(from.getTime() + days * DAY_MS);
  const count = await execute(
    db(),
    `INSERT INTO event_outbox (${NAMES.join(', ')}) SELECT ${copiedColumns()} FROM events
      WHERE project_id = :projectId AND event = ANY(:kinds) AND occurred_at >= :from AND occurred_at < :to
      ORDER BY occurred_at`,
    { projectId, other, kinds: MOVED_KINDS, from, to },
  );
  // The usual state of a table with constant inserts and deletes.
  await execute(db(), 'VACUUM ANALYZE event_outbox');
  return count;
}

/** Moves all seeded visits to ClickHouse, unless an earlier run has. */
async function moveSeeded(projectId: string, other: string, clickhouse: ClickHouse): Promise<void> {
  const [stored] = await clickhouse.rows<{ n: string }>('SELECT count() AS n FROM events');
  if (Number(stored!.n) > 0) return;
  for (let first = 375; first > 0; first -= DAYS_AT_A_TIME) {
    const count = await putInOutbox(projectId, other, { first, days: DAYS_AT_A_TIME });
    const began = performance.now();
    await moveEvents(clickhouse);
    console.error(`${count} visits moved in ${Math.round(performance.now() - began)} ms`);
  }
}

/** Measures the move of visits from the outbox to an empty table. */
async function benchMoving(
  projectId: string,
  other: string,
  server: ClickHouseServer,
  rounds: number,
): Promise<Row[]> {
  const perSecond: number[] = [];
  const processor: Record<string, number[]> = { 'the worker': [], Postgres: [], ClickHouse: [] };
  for (let round = 0; round < rounds; round += 1) {
    const clickhouse = new ClickHouse(await server.addDatabase(`moving_${Date.now()}`));
    try {
      await clickhouse.rows('SELECT 1');
      const count = await putInOutbox(projectId, other, { first: 200, days: DAYS_AT_A_TIME });
      const before = await processorTimes();
      const began = performance.now();
      await moveEvents(clickhouse);
      perSecond.push((count / (performance.now() - began)) * 1_000);
      const after = await processorTimes();
      for (const name of Object.keys(processor)) {
        processor[name]!.push(((after[name]! - before[name]!) * 1_000) / count);
      }
      await clickhouse.rows('SELECT 1');
    } finally {
      await clickhouse.close();
    }
  }
  return [
    {
      what: 'visits moved from the outbox to ClickHouse',
      unit: '/s',
      better: 'more',
      ours: perSecond,
      aim: { ours: 100_000 },
    },
    ...Object.entries(processor).map(
      ([name, ours]): Row => ({
        what: `a visit that is moved, processor time of ${name}`,
        unit: 'µs',
        better: 'less',
        ours,
      }),
    ),
  ];
}

/** Processor times so far, in ms. */
async function processorTimes(): Promise<Record<string, number>> {
  const { user, system } = process.cpuUsage();
  const server = withDescendants(process.pid).find(({ name }) => name.includes('clickhouse'))!;
  return {
    'the worker': (user + system) / 1_000,
    Postgres: await postgresMs(),
    ClickHouse: processorMs(server.id),
  };
}

async function sizeRow(clickhouse: ClickHouse, among: string): Promise<Row> {
  const [stored] = await clickhouse.rows<{ bytes: string }>(
    `SELECT sum(bytes_on_disk) AS bytes FROM system.parts
      WHERE database = currentDatabase() AND table = 'events' AND active`,
  );
  const [inPostgres] = await rows<{ bytes: number }>(
    db(),
    String.raw`SELECT sum(pg_total_relation_size(oid))::bigint AS bytes FROM pg_class
      WHERE relkind = 'r' AND relname ~ '^(events|event_block|event_values|kept_counts)'`,
  );
  return {
    what: `size of ${among} without leads and sales`,
    unit: 'MB',
    better: 'less',
    ours: [Number(stored!.bytes) / 1e6],
    baseline: { what: 'Postgres, all', figures: [inPostgres!.bytes / 1e6] },
    aim: { ours: 1_000 },
  };
}

/** Groups with the SQL that an analyst would write for them, for ClickHouse and for Postgres. */
const PLAIN: Record<string, [clickhouse: string, postgres: string]> = {
  devices: ['device', 'device'],
  countries: ['country', 'country'],
  referers: ['referer', 'referer'],
  cities: ['country, region, city', 'country, region, city'],
  top_urls: ['page_url', "split_part(split_part(url, '#', 1), chr(63), 1)"],
  top_links: ['link_id', 'link_id'],
  timeseries: [
    "toDate(toDateTime(intDiv(at, 1000000), 'UTC'))",
    "date_trunc('day', occurred_at, 'UTC')",
  ],
};

/** Measures clicks of the year with plain statements, which ignore waiting and erased events. */
async function benchPlain(
  projectId: string,
  other: string,
  clickhouse: ClickHouse,
  among: string,
  rounds: number,
): Promise<Row[]> {
  const from = new Date(Date.now() - 366 * DAY_MS);
  const result: Row[] = [];
  for (const [name, [inClickHouse, inPostgres]] of Object.entries(PLAIN)) {
    const figures: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      const statements = [
        () =>
          clickhouse.rows(
            `SELECT ${inClickHouse}, count() AS n FROM events
              WHERE project_id = ${literal(other)} AND event = 'click' AND at >= ${from.getTime() * 1000}
              GROUP BY ${inClickHouse} ORDER BY n DESC LIMIT 5000`,
          ),
        () =>
          rows(
            db(),
            `SELECT ${inPostgres}, count(*) AS n FROM events
              WHERE project_id = :projectId AND event = 'click' AND occurred_at >= :from
              GROUP BY ${inPostgres} ORDER BY n DESC LIMIT 5000`,
            { projectId, from },
          ),
      ];
      for (const [at, statement] of statements.entries()) {
        const began = performance.now();
        await statement();
        figures[at]!.push(performance.now() - began);
      }
    }
    result.push({
      what: `${name} of ${among}, all, plain SQL in ClickHouse`,
      unit: 'ms',
      better: 'less',
      ours: figures[0],
      baseline: { what: 'plain SQL in Postgres', figures: figures[1] },
    });
  }
  return result;
}

async function benchQuestions(
  { projectId, other }: { projectId: string; other: string },
  url: string,
  among: string,
  rounds: number,
): Promise<Row[]> {
  // Otherwise Postgres would do it during the first queries.
  await execute(db(), 'VACUUM ANALYZE event_outbox');
  const { DATABASE_URL, DATA_DIR } = config();
  const admin = connectDb(postgresAdminUrl(DATABASE_URL, DATA_DIR), 1, 'bench');
  await execute(admin, 'CHECKPOINT');
  await admin.destroy();
  const inPostgres: AskedQuestions[] = [];
  const inClickHouse: AskedQuestions[] = [];
  for (let round = 0; round < rounds; round += 1) {
    inPostgres.push(await askAll(projectId, ''));
    inClickHouse.push(await askAll(other, url));
  }
  const row = (what: string, figureOf: (asked: AskedQuestions) => number): Row => ({
    what,
    unit: 'ms',
    better: 'less',
    ours: inClickHouse.map(figureOf),
    baseline: { what: 'Postgres', figures: inPostgres.map(figureOf) },
  });
  const aim = { ours: 100 };
  const ofPairs = (share: number) => (asked: AskedQuestions) =>
    percentileOf(
      asked.pairs.map(({ ms }) => ms),
      share,
    );
  return [
    ...GROUP_NAMES.flatMap((name): Row[] => [
      row(`${name} of ${among}, any span, p50`, ({ groups }) => groups[name].p50),
      { ...row(`${name} of ${among}, any span, p95`, ({ groups }) => groups[name].p95), aim },
      row(`${name} of ${among}, all`, ({ groups }) => groups[name].year),
    ]),
    row(`two filters of ${among}, p50`, ofPairs(0.5)),
    { ...row(`two filters of ${among}, p95`, ofPairs(0.95)), aim },
  ];
}

/** @param url URL of ClickHouse; empty for Postgres */
async function askAll(projectId: string, url: string): Promise<AskedQuestions> {
  const child = fork(fileURLToPath(import.meta.resolve('./clickhouse-questions.js')), [projectId], {
    env: { ...process.env, EVENTS_URL: url },
  });
  const answer = Promise.race([
    once(child, 'message') as Promise<[AskedQuestions]>,
    once(child, 'exit').then(() => Promise.reject(new Error('questions could not be asked'))),
  ]);
  const [asked] = await answer;
  return asked;
}

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../scripts/ports.ts';
import type { Runner } from '../scripts/procfile.ts';
import { newId } from '../src/ids.ts';
import { db } from '../src/infra/db.ts';
import type { Redis } from '../src/infra/redis.ts';
import { seal } from '../src/infra/seal.ts';
import { newSecret } from '../src/webhooks/sign.ts';
import { ClickHouseServer, hasClickHouse } from '../test/support/clickhouse-server.ts';
import { proportional } from '../test/support/processes.ts';
import { below, browserRequest } from './open-loop.ts';
import {
  type AccountedService,
  createLinks,
  PARTS,
  type Part,
  type PartTimes,
  processedVisits,
  reached,
  visit,
  withAccounts,
} from './processor.ts';
import type { Row } from './rows.ts';
import { API, REDIRECT, SCHEDULER, seedLinks, worker } from './service.ts';
import { aVisit } from './visits.ts';

/** Visits a second at which the cost of a visit is measured: batches grow with the rate. */
const VISIT_RATES = [4_000, 1_000, 100] as const;
const LINKS = 100_000;
/** Repeatedly visited links, all in the memory of the redirect process. */
const HOT_LINKS = 10_000;
/** Links whose visits are sent to a webhook; they precede the hot ones. */
const WATCHED_LINKS = 100;
/** Interval at which worker_maintenance builds blocks, so that a load of this length includes it. */
const SECONDS = 15;
const COLD_RATE = 8_000;
const MISS_RATE = 4_000;
const MISS_SECONDS = 5;
const OTHERS_SECONDS = 8;
const WRITES_PER_SECOND = 50;
const DELIVERIES_PER_SECOND = 500;
const CLICKHOUSE_RATE = 1_000;
/** Copies of the visits in ClickHouse, for queries over many of them. */
const COPIES = 100;
const QUESTIONS = 20;
const GROUPS = ['count', 'timeseries', 'countries', 'devices', 'top_links'];

const WORKERS = ['clicks', 'maintenance', 'webhooks', 'writes'].map(worker);
const PROCESSES = [REDIRECT, API, SCHEDULER, ...WORKERS];

const hotKey = (): string => `k${WATCHED_LINKS + below(HOT_LINKS - WATCHED_LINKS)}`;
const watchedKey = (): string => `k${below(WATCHED_LINKS)}`;

/** Parts that take part in storing a visit. */
const STORING: Part[] = [
  'redirect',
  'redis_lookups',
  'redis_queues',
  'worker_clicks',
  'worker_maintenance',
  'postgres',
];

/**
 * Measures costs of visits, writes, deliveries and queries by part, and the sizes of stored data,
 * for the table of docs/scale.md.
 */
export function benchCosts(): Promise<Row[]> {
  return withAccounts(async (service) => {
    const sizes = await coldVisits(service);
    const receiver = await watchLinks(service);
    try {
      const runner = await service.run(PROCESSES, service.env);
      const rows = [...sizes, ...(await costsOf(service, runner)), ...memoryRows(runner)];
      await runner.stop();
      return [...rows, ...(await clickHouseCosts(service))];
    } finally {
      receiver.kill();
    }
  });
}

/** Sends visits of the watched links to a webhook. @returns its receiver */
async function watchLinks({ projectId }: AccountedService): Promise<ChildProcess> {
  process.env['OUTBOUND_ALLOW'] = '127.0.0.1';
  const port = await freePort();
  const receiver = fork('dist/bench/bare-receiver.js', [String(port)]);
  await once(receiver, 'message');
  const id = newId('webhook');
  await db()('webhooks').insert({
    project_id: projectId,
    id,
    name: 'bench',
    url: `http://127.0.0.1:${port}/`,
    secret: seal({ purpose: 'webhook secret', owner: projectId }, newSecret()),
    kinds: ['link.clicked'],
  });
  const watched = Array.from({ length: WATCHED_LINKS }, (_, n) => `k${n}`);
  await db()('links')
    .whereIn('key', watched)
    .update({ webhook_ids: [id] });
  return receiver;
}

/**
 * Visits each link once without a worker that stores the visits: sizes of links, of their entries,
 * and of waiting visits.
 */
async function coldVisits(service: AccountedService): Promise<Row[]> {
  const { queues, lookups, redirectPort } = service;
  const empty = await postgresBytes('links', 'claims');
  await seedLinks(service, LINKS);
  const links = await postgresBytes('links', 'claims');
  const before = [await infoOf(queues, 'used_memory'), await infoOf(lookups, 'used_memory')];
  const runner = await service.run([REDIRECT], service.env);
  const count = await visit(redirectPort, COLD_RATE, LINKS / COLD_RATE, inTurn(0, LINKS));
  const after = [await infoOf(queues, 'used_memory'), await infoOf(lookups, 'used_memory')];
  const network = await bytesOfVisit(redirectPort);
  await runner.stop();
  return [
    sizeRow('link in Postgres, with its name and their indexes', (links - empty) / LINKS),
    sizeRow(
      'entry of a link in the Redis for look-ups',
      (after[1]! - before[1]!) / Math.min(count, LINKS),
    ),
    sizeRow('visit that waits in the queue', (after[0]! - before[0]!) / count),
    sizeRow(
      'visit in the spool',
      Buffer.byteLength(`${JSON.stringify(aVisit(service.projectId))}\n`),
    ),
    sizeRow('request and response of a visitor, without TLS', network),
  ];
}

function inTurn(first: number, count: number): () => string {
  let next = 0;
  return () => {
    next += 1;
    return `k${first + ((next - 1) % count)}`;
  };
}

/** Costs by part: µs of each of what a load consists of, or ms a second without load. */
type PartCosts = PartTimes;

/**
 * Measures parts without load, and the costs of look-ups in Redis, of visits at every rate, of
 * writes and of deliveries.
 */
async function costsOf(service: AccountedService, runner: Runner): Promise<Row[]> {
  // The processes are warm once they have stored the waiting visits.
  await reached('visits', LINKS * 0.97, () => processedVisits(runner));
  const visits = (perSecond: number, seconds: number, nextKey = hotKey) =>
    storedVisits(service, runner, perSecond, seconds, nextKey);
  const idleAfter = async (ms: number) => {
    await pause(ms);
    return ms;
  };
  const misses = await costOf(service, runner, undefined, () =>
    visits(MISS_RATE, MISS_SECONDS, inTurn(HOT_LINKS, LINKS - HOT_LINKS)),
  );
  await visits(MISS_RATE, 3);
  // Within this time, the blocks of all these visits are built.
  await pause((SECONDS + 2) * 1_000);
  const idle = await costOf(service, runner, undefined, () => idleAfter(SECONDS * 1_000));
  const [logged, sent] = [
    await logPosition(),
    await infoOf(service.queues, 'total_net_input_bytes'),
  ];
  let count = 0;
  const byRate: PartCosts[] = [];
  for (const rate of VISIT_RATES) {
    const costs = await costOf(service, runner, idle, async () => {
      const load = await visits(rate, SECONDS);
      count += load;
      return load;
    });
    byRate.push(costs);
  }
  const sizes = [
    sizeRow('write-ahead log of a visit', ((await logPosition()) - logged) / count),
    sizeRow(
      'visit through the Redis of the queues',
      ((await infoOf(service.queues, 'total_net_input_bytes')) - sent) / count,
    ),
    sizeRow(
      'visit in Postgres, with its indexes',
      (await postgresBytes('events%')) / (await rowsOf('events')),
    ),
  ];
  const writes = await costOf(service, runner, idle, () =>
    createLinks(service, WRITES_PER_SECOND, OTHERS_SECONDS),
  );
  await questions(service, QUESTIONS);
  const queryCost = await costOf(service, runner, idle, () => questions(service, QUESTIONS));
  const plain = await costOf(service, runner, idle, () =>
    visits(DELIVERIES_PER_SECOND, OTHERS_SECONDS),
  );
  const watched = await costOf(service, runner, idle, async () => {
    const load = await visits(DELIVERIES_PER_SECOND, OTHERS_SECONDS, watchedKey);
    await reached('deliveries', await rowsOf('webhook_deliveries'), () =>
      rowsOf('webhook_attempts'),
    );
    return load;
  });
  return [
    ...costRows(
      'idle',
      idle,
      PARTS.filter((part) => part !== 'clickhouse'),
    ),
    ...VISIT_RATES.flatMap((rate, n) => costRows(`a visit at ${rate}/s`, byRate[n]!, STORING)),
    ...costRows(
      'a look-up in Redis',
      byPart((part) => misses[part] - byRate[0]![part]),
      ['redirect', 'redis_lookups'],
    ),
    ...costRows('a write', writes, [
      'redis_lookups',
      'redis_queues',
      'api',
      'worker_writes',
      'postgres',
    ]),
    ...costRows('a question', queryCost, ['api', 'postgres']),
    ...costRows(
      'a delivery',
      byPart((part) => watched[part] - plain[part]),
      ['redis_queues', 'worker_clicks', 'worker_webhooks', 'postgres'],
    ),
    ...sizes,
  ];
}

/**
 * Measures visits that are stored in Postgres and moved to ClickHouse, and queries over few and
 * many of them.
 */
async function clickHouseCosts(service: AccountedService): Promise<Row[]> {
  if (!hasClickHouse()) {
    const skipped = 'clickhouse-server is not installed';
    return [{ what: 'costs with ClickHouse', unit: '', better: 'less', ours: [], skipped }];
  }
  const server = await ClickHouseServer.prepare();
  await server.start();
  try {
    const runner = await service.run(PROCESSES, { ...service.env, EVENTS_URL: server.url });
    const store = async (seconds: number) => {
      const load = await storedVisits(service, runner, CLICKHOUSE_RATE, seconds, hotKey);
      await reached('moved visits', 0, async () => -(await rowsOf('event_outbox')));
      return load;
    };
    await store(2);
    const idle = await costOf(service, runner, undefined, async () => {
      await pause(5_000);
      return 5_000;
    });
    const visits = await costOf(service, runner, idle, () => store(OTHERS_SECONDS));
    const clickhouse = new URL(server.url.replace(/^clickhouse/, 'http'));
    const ask = async (sql: string) => {
      const { origin, username: user, password } = clickhouse;
      const url = `${origin}/?${new URLSearchParams({ user, password: decodeURIComponent(password) })}`;
      const answer = await fetch(url, { method: 'POST', body: sql });
      if (!answer.ok) throw new Error(await answer.text());
      return Number(await answer.text());
    };
    const ours = () => questions(service, QUESTIONS);
    await ours();
    const few = await costOf(service, runner, idle, ours);
    const stored = await ask('SELECT count() FROM events');
    await ask('OPTIMIZE TABLE events FINAL');
    const bytes = await ask(
      "SELECT sum(bytes_on_disk) FROM system.parts WHERE table = 'events' AND active",
    );
    await ask(
      `INSERT INTO events SELECT events.* FROM events CROSS JOIN (SELECT number FROM numbers(${COPIES - 1})) AS copies`,
    );
    const many = await costOf(service, runner, idle, ours);
    await runner.stop();
    const perMillion = byPart((part) => ((many[part] - few[part]) * 1e6) / (stored * (COPIES - 1)));
    return [
      ...costRows('idle, with ClickHouse', idle, ['clickhouse']),
      ...costRows(`a visit at ${CLICKHOUSE_RATE}/s, with ClickHouse`, visits, [
        'worker_maintenance',
        'clickhouse',
      ]),
      ...costRows('a question to ClickHouse', few, ['api', 'postgres', 'clickhouse']),
      ...costRows('a question to ClickHouse, for each million visits', perMillion, ['clickhouse']),
      sizeRow('visit in ClickHouse', bytes / stored),
    ];
  } finally {
    await server.stop();
  }
}

/** Queries analytics. @returns the number of queries */
async function questions({ apiUrl, apiKey }: AccountedService, count: number): Promise<number> {
  for (let n = 0; n < count; n += 1) {
    const url = `${apiUrl}/analytics?groupBy=${GROUPS[n % GROUPS.length]}&interval=all`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } });
    if (!answer.ok) throw new Error(await answer.text());
    await answer.arrayBuffer();
  }
  return count;
}

const byPart = (figureOf: (part: Part) => number): PartCosts =>
  Object.fromEntries(PARTS.map((part) => [part, figureOf(part)])) as PartCosts;

/**
 * Measures the processor time of parts during an activity, less their idle time, per item of the
 * activity.
 */
async function costOf(
  service: AccountedService,
  runner: Runner,
  idle: PartCosts | undefined,
  act: () => Promise<number>,
): Promise<PartCosts> {
  const [before, began] = [await service.times(runner), performance.now()];
  const count = await act();
  const [after, seconds] = [await service.times(runner), (performance.now() - began) / 1_000];
  const costs = byPart(
    (part) => ((after[part] - before[part] - (idle?.[part] ?? 0) * seconds) * 1_000) / count,
  );
  console.error({ count, seconds, costs });
  return costs;
}

/** Sends visits at a rate, until the last is stored. */
async function storedVisits(
  { redirectPort }: AccountedService,
  runner: Runner,
  perSecond: number,
  seconds: number,
  nextKey: () => string,
): Promise<number> {
  const before = await processedVisits(runner);
  const count = await visit(redirectPort, perSecond, seconds, nextKey);
  await reached('visits', before + count, () => processedVisits(runner));
  return count;
}

/** Builds a row for each part. */
const costRows = (what: string, costs: PartCosts, parts: readonly Part[]): Row[] =>
  parts.map((part) => ({
    what: `${part}, ${what}`,
    unit: what.startsWith('idle') ? 'ms' : 'µs',
    better: 'less',
    ours: [costs[part]],
  }));

const sizeRow = (what: string, bytes: number): Row => ({
  what,
  unit: 'bytes',
  better: 'less',
  ours: [bytes],
});

const memoryRows = (runner: Runner): Row[] =>
  PARTS.filter((part) => runner.names.includes(part)).map((part) => ({
    what: `memory of ${part}`,
    unit: 'MB',
    better: 'less',
    ours: [proportional(runner.pidOf(part))],
  }));

/** Bytes of tables with matching names, including their indexes. */
async function postgresBytes(...patterns: string[]): Promise<number> {
  const { rows } = await db().raw<{ rows: [{ bytes: string }] }>(
    `SELECT coalesce(sum(pg_total_relation_size(oid)), 0) AS bytes FROM pg_class WHERE relkind = 'r' AND relname LIKE ANY(?)`,
    [patterns],
  );
  return Number(rows[0].bytes);
}

async function rowsOf(table: string): Promise<number> {
  const [row] = await db()(table).count('* as n');
  return Number(row!['n']);
}

/** Bytes written to the write-ahead log. */
async function logPosition(): Promise<number> {
  const { rows } = await db().raw<{ rows: [{ bytes: string }] }>(
    "SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes",
  );
  return Number(rows[0].bytes);
}

async function infoOf(redis: Redis, name: string): Promise<number> {
  const [, figure] = new RegExp(`^${name}:(\\d+)`, 'm').exec(await redis.info()) ?? [];
  return Number(figure);
}

/** Bytes of a visit's request and response. */
async function bytesOfVisit(port: number): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  socket.write(browserRequest(1, 'k1'));
  await once(socket, 'data');
  socket.destroy();
  return socket.bytesRead + socket.bytesWritten;
}

import { parseArgs } from 'node:util';
import { COSTS, SIZES } from './capacity/costs.ts';
import { DEFAULTS, type Machines, type Plan, planFor, type Workload } from './capacity/model.ts';
import { BURST_AT, dayOf, queueOf, storingRate } from './capacity/outages.ts';

const MACHINES: Machines = { cores: 4, serverCores: 32, serverDisk: 16 };
const OUTAGE_MINUTES = 30;

const USAGE = `Usage:
  npm run simulate -- [--visits 1e6] [--links 1e5] [--writes N] [--questions N] [--deliveries N] [--json]
Of a month: visits, links that are created (default: a hundredth of the links), questions to analytics and webhook deliveries
(default: a thousandth and a tenth of the visits).
  --links N          links that exist
  --peak ${DEFAULTS.peak}           rate of the busiest minutes, as a multiple of the average
  --misses 0.1       share of visits to links that the memory of a redirect process does not hold
  --months ${DEFAULTS.months}        time for which visits are kept
  --clickhouse       visits are kept in ClickHouse
  --outage ${OUTAGE_MINUTES}        length of each outage, in minutes
  --cores ${MACHINES.cores}          of a machine for processes
  --server-cores ${MACHINES.serverCores}  of the largest server for Postgres, and for ClickHouse
  --server-disk ${MACHINES.serverDisk}   of that server, in TB`;

/** An invalid use of the command. */
class UsageError extends Error {}

function main(args: string[]): void {
  const { values } = parseArgs({
    args,
    options: {
      visits: { type: 'string' },
      links: { type: 'string' },
      writes: { type: 'string' },
      questions: { type: 'string' },
      deliveries: { type: 'string' },
      peak: { type: 'string' },
      misses: { type: 'string' },
      months: { type: 'string' },
      outage: { type: 'string' },
      cores: { type: 'string' },
      'server-cores': { type: 'string' },
      'server-disk': { type: 'string' },
      clickhouse: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const number = (
    name: Exclude<keyof typeof values, 'clickhouse' | 'json' | 'help'>,
    or: number,
  ) => {
    const value = values[name] === undefined ? or : Number(values[name]);
    if (values[name] === '' || !Number.isFinite(value) || value < 0) {
      throw new UsageError(`--${name} must be a number, at least 0`);
    }
    return value;
  };
  const [visits, links] = [number('visits', DEFAULTS.visits), number('links', DEFAULTS.links)];
  const workload: Workload = {
    ...DEFAULTS,
    visits,
    links,
    writes: number('writes', links / 100),
    questions: number('questions', visits / 1_000),
    deliveries: number('deliveries', visits / 10),
    peak: number('peak', DEFAULTS.peak),
    misses: number('misses', 0.1),
    months: number('months', DEFAULTS.months),
    store: values.clickhouse ? 'clickhouse' : 'postgres',
  };
  if (workload.visits === 0) throw new UsageError('--visits must be above 0');
  if (workload.peak < 1) throw new UsageError('--peak must be at least 1');
  const machines: Machines = {
    cores: number('cores', MACHINES.cores),
    serverCores: number('server-cores', MACHINES.serverCores),
    serverDisk: number('server-disk', MACHINES.serverDisk),
  };
  const plan = planFor(workload, machines);
  const outages = outagesOf(plan, workload, number('outage', OUTAGE_MINUTES) * 60);
  if (values.json)
    console.log(JSON.stringify({ workload, available: machines, ...plan, outages }, null, 2));
  else console.log(show(workload, plan, outages));
}

interface OutageRow {
  of: string;
  waits: string;
  most: number;
  gigabytes: number;
  /** `null` if it never does. */
  caughtUpMinutes: number | null;
}

/** Simulates outages that begin in the busiest minutes of a day. */
function outagesOf(
  plan: Plan,
  { peak, deliveries, visits }: Workload,
  seconds: number,
): OutageRow[] {
  const rateAt = dayOf(plan.load.visits, peak);
  const countOf = (part: string) => plan.parts.find((one) => one.part === part)?.count ?? 1;
  const row = (
    of: string,
    waits: string,
    bytes: number,
    storedPerSecond: number,
    share = 1,
  ): OutageRow => {
    const rate = (second: number) => rateAt(second) * share;
    const { most, caughtUp } = queueOf(rate, { seconds, storedPerSecond, from: BURST_AT });
    return {
      of,
      waits,
      most,
      gigabytes: (most * bytes) / 1e9,
      caughtUpMinutes: Number.isFinite(caughtUp) ? caughtUp / 60 : null,
    };
  };
  const { cores = 1 } = plan.machines.find(({ kind }) => kind === 'Postgres') ?? {};
  const stored = storingRate(countOf('worker_clicks'), cores);
  const delivered = (countOf('worker_webhooks') * 1e6) / COSTS.worker_webhooks.delivery!;
  return [
    row('all worker_clicks, or Postgres', 'visits in Redis', SIZES.visitInQueue, stored),
    row('Redis of the queues', 'visits in spools on disk', SIZES.visitInSpool, stored),
    ...(deliveries > 0
      ? [
          row(
            'all worker_webhooks',
            'deliveries in Postgres',
            SIZES.deliveryInPostgres,
            delivered,
            deliveries / visits,
          ),
        ]
      : []),
  ];
}

function figure(value: number): string {
  if (value > 0 && value < 0.01) return '<0.01';
  if (value >= 1e6) return Number(value.toPrecision(2)).toExponential().replace('+', '');
  return value.toLocaleString('en', { maximumSignificantDigits: 2 });
}

function show(
  { visits, links, peak, store, months }: Workload,
  plan: Plan,
  outages: OutageRow[],
): string {
  const { first } = plan;
  return [
    `${figure(visits)} visits a month (${figure(plan.load.visits)} a second, ${figure(plan.load.visits * peak)} at peak), ${figure(links)} links; visits kept in ${store === 'postgres' ? 'Postgres' : 'ClickHouse'} for ${figure(months)} months`,
    '',
    ...table(
      [
        'part',
        'number',
        'cores',
        'at peak',
        'memory GB',
        'disk GB',
        'Mbit/s',
        'enough for visits a month',
      ],
      plan.parts.map(
        ({ part, count, average, peak, memoryGb, diskGb, megabits, fullAt, fullOf }) => [
          part,
          String(count),
          figure(average),
          figure(peak),
          figure(memoryGb),
          figure(diskGb),
          figure(megabits),
          fullAt === null ? 'add another' : `${figure(fullAt)} (${fullOf})`,
        ],
      ),
    ),
    '',
    ...table(
      ['machines for', 'number', 'cores', 'memory GB', 'disk GB'],
      plan.machines.map(({ kind, count, cores, memoryGb, diskGb }) => [
        kind,
        String(count),
        String(cores),
        figure(memoryGb),
        figure(diskGb),
      ]),
    ),
    '',
    `First to be full: ${first.part} (${first.fullOf}), at ${figure(first.fullAt!)} visits a month.`,
    '',
    ...table(
      ['away at peak', 'then wait', 'most', 'GB', 'stored after'],
      outages.map(({ of, waits, most, gigabytes, caughtUpMinutes }) => [
        of,
        waits,
        figure(most),
        figure(gigabytes),
        caughtUpMinutes === null ? 'never' : `${figure(caughtUpMinutes)} min`,
      ]),
    ),
  ].join('\n');
}

function table(header: string[], rows: string[][]): string[] {
  const widths = header.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => row[column]!.length)),
  );
  return [header, ...rows].map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}

try {
  main(process.argv.slice(2));
} catch (error) {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (!(error instanceof UsageError) && !code.startsWith('ERR_PARSE_ARGS_')) throw error;
  console.error(error instanceof UsageError ? message : USAGE);
  process.exitCode = 1;
}

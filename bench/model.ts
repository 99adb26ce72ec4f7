import { cpus } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { PARTS, type Part } from '../scripts/capacity/costs.ts';
import { DEFAULTS, type Load, processorOf } from '../scripts/capacity/model.ts';
import { queueOf, storingRate } from '../scripts/capacity/outages.ts';
import type { Runner } from '../scripts/procfile.ts';
import { db } from '../src/infra/db.ts';
import { hotKey, PROCESSES, storedVisits, watchedKey, watchLinks } from './costs.ts';
import {
  type AccountedService,
  createLinks,
  processedVisits,
  reached,
  visit,
  withAccounts,
} from './processor.ts';
import type { Row } from './rows.ts';
import { seedLinks } from './service.ts';

const LINKS = 10_000;
/** Loads at which the model is checked, none of which the costs were measured at. */
const POINTS: Load[] = [
  { visits: 300, writes: 10, questions: 0, deliveries: 30 },
  { visits: 1_500, writes: 30, questions: 0, deliveries: 150 },
];
/** A multiple of the interval at which worker_maintenance sums up rollups. */
const SECONDS = 30;
const OUTAGE = { perSecond: 1_500, seconds: 20 };

/**
 * Compares the processor time of every part under two loads, and the time to catch up after an
 * outage, with the model.
 */
export function benchModel(): Promise<Row[]> {
  return withAccounts(async (service) => {
    await seedLinks(service, LINKS);
    const receiver = await watchLinks(service);
    try {
      const runner = await service.run(PROCESSES, service.env);
      const warm = { visits: 2_000, writes: 20, questions: 0, deliveries: 200 };
      await under(service, runner, warm, 20);
      await pause(3_000);
      const rows: Row[] = [];
      for (const load of POINTS) {
        const [before, began] = [await service.times(runner), performance.now()];
        const actual = await under(service, runner, load, SECONDS);
        const [after, seconds] = [await service.times(runner), (performance.now() - began) / 1_000];
        const perSecond = Object.fromEntries(
          Object.entries(actual).map(([name, count]) => [name, count / seconds]),
        ) as unknown as Load;
        console.error({ seconds, perSecond });
        const share = (part: Part) => (after[part] - before[part]) / 1_000 / seconds;
        rows.push(...rowsFor(load, perSecond, share));
      }
      return [...rows, await catchingUp(service, runner)];
    } finally {
      receiver.kill();
    }
  });
}

/** Runs a load until everything it caused is done. @returns the actual load */
async function under(
  service: AccountedService,
  runner: Runner,
  load: Load,
  seconds: number,
): Promise<Load> {
  const share = load.deliveries / load.visits;
  const key = () => (Math.random() < share ? watchedKey() : hotKey());
  const before = await delivered();
  const [visits, writes] = await Promise.all([
    storedVisits(service, runner, load.visits, seconds, key),
    createLinks(service, load.writes, seconds),
  ]);
  await reached('deliveries', 0, async () => -(await waiting()));
  return { visits, writes, questions: 0, deliveries: (await delivered()) - before };
}

const countOf = async (table: string, where: object): Promise<number> => {
  const [row] = await db()(table).where(where).count('* as n');
  return Number(row!['n']);
};
const delivered = () => countOf('webhook_attempts', {});
const waiting = () => countOf('webhook_deliveries', { state: 'pending' });

function rowsFor(planned: Load, actual: Load, share: (part: Part) => number): Row[] {
  const one = Object.fromEntries(PARTS.map((part) => [part, 1])) as Record<Part, number>;
  const expected = (part: Part) => processorOf(part, actual, one, DEFAULTS);
  const what = `${planned.visits} visits/s, ${planned.writes} writes/s, ${planned.deliveries} deliveries/s`;
  const used = PARTS.filter((part) => part !== 'clickhouse');
  const row = (name: string, ours: number, figure: number): Row => ({
    what: `${name}, processor time in a second of ${what}`,
    unit: 'ms',
    better: 'less',
    ours: [ours * 1_000],
    baseline: { what: 'model', figures: [figure * 1_000] },
  });
  const sum = (figureOf: (part: Part) => number) =>
    used.reduce((total, part) => total + figureOf(part), 0);
  return [
    ...used.map((part) => row(part, share(part), expected(part))),
    row('all together', sum(share), sum(expected)),
  ];
}

/** Suspends worker_clicks while visits continue, and resumes it. */
async function catchingUp(service: AccountedService, runner: Runner): Promise<Row> {
  const { perSecond, seconds } = OUTAGE;
  const before = await processedVisits(runner);
  runner.kill('worker_clicks', 'SIGSTOP');
  let sent = await visit(service.redirectPort, perSecond, seconds, hotKey);
  runner.kill('worker_clicks', 'SIGCONT');
  const began = performance.now();
  const caughtUp = new AbortController();
  const watching = (async () => {
    // The target grows with the visits that continue.
    await reached('visits', 0, async () => (await processedVisits(runner)) - before - sent);
    const took = (performance.now() - began) / 1_000;
    caughtUp.abort();
    return took;
  })();
  while (!caughtUp.signal.aborted)
    sent += await visit(service.redirectPort, perSecond, 0.5, hotKey);
  const storedPerSecond = storingRate(1, cpus().length);
  const queue = queueOf(() => perSecond, { seconds, storedPerSecond });
  return {
    what: `time to store what waits after ${seconds} s without worker_clicks at ${perSecond} visits/s, which go on`,
    unit: 's',
    better: 'less',
    ours: [await watching],
    baseline: { what: 'simulation', figures: [queue.caughtUp] },
  };
}

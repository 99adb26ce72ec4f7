import { setTimeout as pause } from 'node:timers/promises';
import { db } from '../src/infra/db.ts';
import { median, percentileOf } from './figures.ts';
import { below, browserRequest, type Latencies, openLoop } from './open-loop.ts';
import type { BenchOptions, Row } from './rows.ts';
import { seedLinks } from './service.ts';
import { memoryOf, type StartedService, withStart } from './started.ts';

const KEYS = 10_000;
/** Time of visits before rates are tried, in seconds. */
const WARM_SECONDS = 12;
/**
 * Time for which a rate is tried, in seconds: long enough for blocks to be built
 * several times.
 */
const TRY_SECONDS = 40;
const FIRST_RATE = 5_000;
const LOWEST_RATE = 500;
const STEP = 1.4;
const HALVINGS = 2;
/**
 * Maximum growth of the lag from the second to the last quarter at which a rate counts as
 * sustained, in seconds.
 */
const BOUNDED_SECONDS = 0.5;
const SHARE = 0.8;
const POLL_MS = 250;

/**
 * Sends visits for minutes under plain `npm start`, at 80% of the rate that it sustains from visit
 * to table. That rate is found by increasing it until storing falls behind. Each visitor is
 * different, so that each visit counts.
 */
export function benchSustained({ minutes }: BenchOptions): Promise<Row[]> {
  return withStart(async (service) => {
    await seedLinks(service, KEYS);
    let sent = (await visit(service, FIRST_RATE / 2, WARM_SECONDS)).sent;
    const attempt = async (rate: number): Promise<boolean> => {
      const { lags, errors, sent: more, perSecond } = await visit(service, rate, TRY_SECONDS);
      sent += more;
      const [, early, , late] = quarters(lags).map(median);
      const isSustained =
        errors === 0 && late! - early! <= BOUNDED_SECONDS && perSecond > 0.97 * rate;
      console.error(`${Math.round(rate)}/s:`, { isSustained, early, late, perSecond, errors });
      return isSustained;
    };
    const highest = await highestRate(attempt);
    const memory = [memoryOf(service.pid)];
    const perSecond = highest * SHARE;
    const took = await visit(service, perSecond, minutes * 60, () => {
      memory.push(memoryOf(service.pid));
    });
    memory.push(memoryOf(service.pid));
    sent += took.sent;
    const { stored, wrong } = await compareWithTables(service, sent);
    console.error({ sent, stored, wrong });
    const row = (what: string, unit: Row['unit'], figure: number, aim?: number): Row => ({
      what,
      unit,
      better: 'less',
      ours: [figure],
      ...(aim !== undefined && { aim: { ours: aim } }),
    });
    const during = `of ${minutes} minutes at 80% of that`;
    return [
      {
        ...row('visits sustained from visit to table under plain `npm start`', '/s', highest),
        better: 'more',
      },
      { ...row(`visits ${during}`, '/s', took.perSecond), better: 'more' },
      row(`lag ${during}, p50 over time`, 's', percentileOf(took.lags, 0.5)),
      row(`lag ${during}, p99 over time`, 's', percentileOf(took.lags, 0.99), 2),
      row(`lag ${during}, longest`, 's', Math.max(...took.lags)),
      row(`redirects ${during}, p50`, 'ms', took.p50Ms),
      row(`redirects ${during}, p99`, 'ms', took.p99Ms),
      row(`errors ${during}`, '', took.errors, 0),
      row('visits lost, or counted twice, warm-up and rise included', '', wrong, 0),
      ...memoryRows(memory, minutes),
    ];
  });
}

/** Finds the highest sustained rate, by steps and then by bisection of the last one. */
async function highestRate(attempt: (rate: number) => Promise<boolean>): Promise<number> {
  const isRising = await attempt(FIRST_RATE);
  let last = FIRST_RATE;
  let next = isRising ? last * STEP : last / STEP;
  while ((await attempt(next)) === isRising) {
    if (next < LOWEST_RATE) throw new Error(`not even ${Math.round(next)} visits/s are sustained`);
    [last, next] = [next, isRising ? next * STEP : next / STEP];
  }
  let [good, bad] = isRising ? [last, next] : [next, last];
  for (let n = 0; n < HALVINGS; n += 1) {
    const middle = (good + bad) / 2;
    if (await attempt(middle)) good = middle;
    else bad = middle;
  }
  return good;
}

const quarters = (figures: number[]): number[][] =>
  [0, 1, 2, 3].map((n) => figures.slice((figures.length * n) / 4, (figures.length * (n + 1)) / 4));

let visitors = 0;

/** Returns a request of a new visitor, for up to 16 million visitors. */
function request(): string {
  visitors += 1;
  const address = [visitors >> 16, visitors >> 8, visitors].map((byte) => byte & 255).join('.');
  return browserRequest(visitors, `k${below(KEYS)}`, `10.${address}`);
}

/**
 * Sends visits at a rate, until all are stored.
 *
 * @param halfway called once in the middle
 * @returns also the lags between answering and storing, in seconds, at regular times
 */
async function visit(
  service: StartedService,
  perSecond: number,
  seconds: number,
  halfway: () => void = () => {},
): Promise<Latencies & { sent: number; lags: number[] }> {
  const before = (await service.visits()).stored;
  let answered = 0;
  const lags: number[] = [];
  const ended = new AbortController();
  const watch = (async () => {
    const history: { at: number; answered: number }[] = [];
    while (!ended.signal.aborted) {
      history.push({ at: performance.now(), answered });
      const stored = (await service.visits()).stored - before;
      // The visits stored last are as old as the first time with as many answers.
      while (history.length > 1 && history[1]!.answered <= stored) history.shift();
      lags.push(stored >= answered ? 0 : (performance.now() - history[0]!.at) / 1_000);
      await pause(POLL_MS);
    }
  })();
  const middle = setTimeout(halfway, seconds * 500);
  const latencies = await openLoop({
    port: service.redirectPort,
    perSecond,
    seconds,
    request,
    onAnswer: () => (answered += 1),
  });
  clearTimeout(middle);
  ended.abort();
  await watch;
  await service.drained();
  return { ...latencies, sent: answered, lags };
}

/** Compares the number of answers with the number of events, of distinct ids, and of analytics. */
async function compareWithTables(
  { apiUrl, apiKey, projectId }: StartedService,
  sent: number,
): Promise<{ stored: number; wrong: number }> {
  const { rows } = await db().raw<{ rows: [{ stored: number; ids: number }] }>(
    'SELECT count(*) AS stored, count(DISTINCT id) AS ids FROM events WHERE project_id = ?',
    [projectId],
  );
  const { stored, ids } = rows[0];
  const answer = await fetch(`${apiUrl}/analytics?groupBy=count&interval=all`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  const { clicks } = (await answer.json()) as { clicks: number };
  const wrong = Math.abs(stored - sent) + (stored - ids) + Math.abs(clicks - sent);
  return { stored, wrong };
}

function memoryRows(memory: Map<string, number>[], minutes: number): Row[] {
  const all = (some: Map<string, number>) => [...some.values()].reduce((sum, one) => sum + one, 0);
  const [begin, middle, end] = memory.map(
    (some) => new Map([...some, ['all together', all(some)]]),
  );
  return [...end!.keys()].flatMap((name) =>
    (
      [
        ['in the middle', middle],
        ['at the end', end],
      ] as const
    ).map(([when, some]) => ({
      what: `memory of ${name} ${when} of ${minutes} minutes`,
      unit: 'MB',
      better: 'less',
      ours: [some!.get(name) ?? 0],
      baseline: { what: 'at the beginning, after the rise', figures: [begin!.get(name) ?? 0] },
    })),
  );
}

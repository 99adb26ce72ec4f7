import { type Baseline, processorMs, startBare, startNginx, type Target } from './baselines.ts';
import { median } from './figures.ts';
import { below, browserRequest, type Latencies, openLoop } from './open-loop.ts';
import { type BenchOptions, inTurn, type Row } from './rows.ts';
import { REDIRECT, removeVisits, seedLinks, withService } from './service.ts';
import { type Load, load, requireWrk } from './wrk.ts';

const KEYS = 10_000;
const SECONDS = 5;
/**
 * Connections of the closed loops, each of which waits for its answer. With 512, a server is bound
 * by its work; with 128, also by the time that an answer waits for its visit to be safe.
 */
const SATURATED = { connections: 512, aim: 0.9 };
const USUAL = { connections: 128, aim: 0.6 };
/** Shares of the maximum throughput at which latencies are measured, with targets in ms. */
const TENTH = { share: 0.1, name: 'a tenth', p50Aim: 1 };
const HALF = { share: 0.5, name: 'half', p99Aim: 5 };

const BARE = 'bare `node:http`';
const NGINX = 'nginx, `return 302`, one worker';

interface Servers {
  bare: Baseline;
  nginx: Baseline | undefined;
  redirect: Target;
  /** Removes the visits of earlier measurements, which workers would have stored. */
  emptyQueue(): Promise<void>;
}

/**
 * Measures redirects a second, with every visit acknowledged by Redis before its answer, against a
 * bare node:http server and nginx, which answer a fixed 302; then latencies at fixed rates. No
 * worker stores the visits, which the benchmark `visits` covers; they are removed after each
 * measurement, since with those of all rounds in memory, each rewrite of its file would stop Redis.
 */
export function benchRedirect({ rounds }: BenchOptions): Promise<Row[]> {
  requireWrk();
  return withService(async (service) => {
    await seedLinks(service, KEYS);
    const runner = await service.run([REDIRECT]);
    const redirect = { port: service.redirectPort, pid: runner.pidOf('redirect') };
    const servers: Servers = {
      bare: await startBare(),
      nginx: await startNginx(),
      redirect,
      emptyQueue: () => removeVisits(service),
    };
    const { bare, nginx } = servers;
    try {
      await load({ port: redirect.port, connections: 32, seconds: 3, keys: KEYS, from: 0 });
      for (const server of [bare, nginx]) {
        if (server) await load({ port: server.port, connections: 32, seconds: 2, keys: KEYS });
      }
      const saturated = await closedLoops(rounds, servers, SATURATED);
      const usual = await closedLoops(rounds, servers, USUAL);
      const highest = median(saturated[0]!.ours);
      const latencies = [];
      for (const at of [TENTH, HALF]) {
        latencies.push(...(await openLoops(rounds, servers, highest * at.share, at)));
      }
      return [...saturated, ...usual, ...latencies];
    } finally {
      bare.stop();
      nginx?.stop();
    }
  });
}

/** @returns rows, the first with this service's redirects a second */
async function closedLoops(
  rounds: number,
  { bare, nginx, redirect, emptyQueue }: Servers,
  { connections, aim }: { connections: number; aim: number },
): Promise<Row[]> {
  const measured = await inTurn(rounds, {
    bare: () => measure(bare, connections),
    redirect: async () => {
      const measured = await measure(redirect, connections);
      await emptyQueue();
      return measured;
    },
    nginx: () => (nginx ? measure(nginx, connections) : Promise.resolve(undefined)),
  });
  const failed = measured.redirect.reduce((sum, { errors }) => sum + errors, 0);
  if (failed > 0) throw new Error(`${failed} requests were not redirected`);
  const ofNginx = measured.nginx.flatMap((some) => some ?? []);
  const withoutNginx = { ours: [], skipped: 'nginx is not installed' };
  const throughput: Omit<Row, 'baseline'> = {
    what: `redirects with ${connections} connections, each visit acknowledged by Redis`,
    unit: '/s',
    better: 'more',
    ours: measured.redirect.map(({ perSecond }) => perSecond),
  };
  const cost: Omit<Row, 'baseline'> = {
    what: `processor time of a redirect with ${connections} connections`,
    unit: 'µs',
    better: 'less',
    ours: measured.redirect.map(({ processorUs }) => processorUs),
  };
  return [
    {
      ...throughput,
      baseline: { what: BARE, figures: measured.bare.map(({ perSecond }) => perSecond) },
      aim: { ratio: aim },
    },
    {
      ...throughput,
      baseline: { what: NGINX, figures: ofNginx.map(({ perSecond }) => perSecond) },
      ...(!nginx && withoutNginx),
    },
    {
      ...cost,
      baseline: { what: BARE, figures: measured.bare.map(({ processorUs }) => processorUs) },
    },
    {
      ...cost,
      baseline: { what: NGINX, figures: ofNginx.map(({ processorUs }) => processorUs) },
      ...(!nginx && withoutNginx),
    },
  ];
}

/**
 * Runs a closed loop at full load. The processor time per request is less affected by other
 * programs on the machine.
 */
async function measure(
  { port, pid }: Target,
  connections: number,
): Promise<Load & { processorUs: number }> {
  const before = processorMs(pid);
  const result = await load({ port, connections, seconds: SECONDS, keys: KEYS });
  const used = processorMs(pid) - before;
  return { ...result, processorUs: (used * 1_000) / (result.perSecond * SECONDS) };
}

async function openLoops(
  rounds: number,
  { bare, redirect, emptyQueue }: Servers,
  perSecond: number,
  { name, p50Aim, p99Aim }: { name: string; p50Aim?: number; p99Aim?: number },
): Promise<Row[]> {
  const at = ({ port }: Target) =>
    openLoop({
      port,
      perSecond,
      seconds: SECONDS,
      request: (number) => browserRequest(number, `k${below(KEYS)}`),
    });
  const measured = await inTurn(rounds, {
    bare: () => at(bare),
    redirect: async () => {
      const latencies = await at(redirect);
      await emptyQueue();
      return latencies;
    },
  });
  const row = (what: string, figureOf: (some: Latencies) => number, aim?: number): Row => ({
    what: `${what} of redirects at ${name} of the first rate, open loop`,
    unit: 'ms',
    better: 'less',
    ours: measured.redirect.map(figureOf),
    baseline: { what: BARE, figures: measured.bare.map(figureOf) },
    ...(aim !== undefined && { aim: { ours: aim } }),
  });
  return [
    row('p50', ({ p50Ms }) => p50Ms, p50Aim),
    row('p99', ({ p99Ms }) => p99Ms, p99Aim),
    row('p99.9', ({ p999Ms }) => p999Ms),
  ];
}

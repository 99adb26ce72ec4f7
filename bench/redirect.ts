import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { freePort } from '../scripts/ports.ts';
import { below, browserRequest, openLoop } from './open-loop.ts';
import { median, REDIRECT, seedLinks, thousands, withService } from './service.ts';
import { type Load, load, requireWrk } from './wrk.ts';

const KEYS = 10_000;
const SECONDS = 5;
const ROUNDS = 5;
/**
 * Connections of the closed loops, each of which waits for its answer. With 512, a server is bound by its work; with 128, also by
 * the time for which an answer waits until its visit is safe.
 */
const SATURATED = { connections: 512, aim: 0.9 };
const USUAL = { connections: 128, aim: 0.6 };
/** Shares of the highest throughput at which latencies are measured. */
const TENTH = { share: 0.1, aim: 'p50 under 1 ms' };
const HALF = { share: 0.5, aim: 'p99 under 5 ms' };
/** Of the clock in which Linux counts the time of processes, in ms. */
const TICK_MS = 10;

/**
 * Redirects a second, with every visit acknowledged by Redis before its answer, against a bare node:http
 * server that answers a fixed 302. In turn, so that both meet the same machine. Then latencies at fixed rates. The visits
 * stay in the queue: what the worker does with them is measured by `visits`.
 */
export function benchRedirect(): Promise<void> {
  requireWrk();
  return withService(async (service) => {
    await seedLinks(service, KEYS);
    const runner = await service.run([REDIRECT]);
    const barePort = await freePort();
    const bare = spawn('node', ['dist/bench/bare-server.js', String(barePort)]);
    const { redirectPort } = service;
    const bareServer = { port: barePort, pid: bare.pid! };
    const redirect = { port: redirectPort, pid: runner.pidOf('redirect') };
    try {
      await load({ port: redirectPort, connections: 32, seconds: 3, keys: KEYS, from: 0 });
      await load({ port: barePort, connections: 32, seconds: 2, keys: KEYS });
      const highest = await compare(bareServer, redirect, SATURATED);
      await compare(bareServer, redirect, USUAL);
      for (const { share, aim } of [TENTH, HALF]) {
        for (const [name, { port }] of [
          ['bare node:http', bareServer],
          ['redirect', redirect],
        ] as const) {
          const { perSecond, p50Ms, p99Ms, p999Ms, errors } = await openLoop({
            port,
            perSecond: highest * share,
            seconds: SECONDS,
            request: (number) => browserRequest(number, `k${below(KEYS)}`),
          });
          console.log(
            `${name} at ${Math.round(share * 100)} % of that (${thousands(perSecond)}/s, open loop): p50 ${ms(p50Ms)}, ` +
              `p99 ${ms(p99Ms)}, p99.9 ${ms(p999Ms)}, ${errors} errors (aim: ${aim})`,
          );
        }
      }
    } finally {
      bare.kill();
    }
  });
}

interface Measured {
  port: number;
  pid: number;
}

/** @returns the median of our redirects a second */
async function compare(
  bare: Measured,
  redirect: Measured,
  { connections, aim }: { connections: number; aim: number },
): Promise<number> {
  const ratios: number[] = [];
  const costs: number[] = [];
  const rates: number[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const base = await measure(bare, connections);
    const ours = await measure(redirect, connections);
    ratios.push(ours.perSecond / base.perSecond);
    costs.push(base.processorUs / ours.processorUs);
    rates.push(ours.perSecond);
    console.log(
      `${connections} connections, round ${round}: bare node:http ${thousands(base.perSecond)}/s (${base.processorUs.toFixed(1)} µs of ` +
        `processor each), redirect ${thousands(ours.perSecond)}/s (${ours.processorUs.toFixed(1)} µs, p50 ${ours.p50Ms} ms, ` +
        `p99 ${ours.p99Ms} ms, ${ours.errors} errors), ratio ${ratios.at(-1)!.toFixed(2)}`,
    );
  }
  console.log(
    `redirect / bare node:http with ${connections} connections: median ratio ${median(ratios).toFixed(2)} ` +
      `(${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}; aim ${aim}); of processor time ${median(costs).toFixed(2)}`,
  );
  return median(rates);
}

/** A closed loop at full load, and the processor time of a request, which other programs on the machine change less. */
async function measure(
  { port, pid }: Measured,
  connections: number,
): Promise<Load & { processorUs: number }> {
  const before = processorMs(pid);
  const result = await load({ port, connections, seconds: SECONDS, keys: KEYS });
  const used = processorMs(pid) - before;
  return { ...result, processorUs: (used * 1_000) / (result.perSecond * SECONDS) };
}

function processorMs(pid: number): number {
  // Fields 14 and 15 of proc(5), counted from behind the name, which may contain spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

const ms = (figure: number): string => `${figure.toFixed(2)} ms`;

import { spawn } from 'node:child_process';
import { freePort } from '../scripts/ports.ts';
import {
  type BenchService,
  median,
  REDIRECT,
  seedLinks,
  thousands,
  withService,
} from './service.ts';
import { load, requireWrk } from './wrk.ts';

const KEYS = 10_000;
const CONNECTIONS = 128;
const SECONDS = 8;
const ROUNDS = 5;

/**
 * Redirects a second, with every visit acknowledged by Redis before its answer, against a bare node:http
 * server that answers a fixed 302. In turn, so that both meet the same machine. The visits stay in the queue:
 * what the worker does with them is measured by `visits`.
 */
export function benchRedirect(): Promise<void> {
  requireWrk();
  return withService(async (service) => {
    await seedLinks(service, KEYS);
    await service.run([REDIRECT]);
    const barePort = await freePort();
    const bare = spawn('node', ['dist/bench/bare-server.js', String(barePort)]);
    try {
      await compare(service, barePort);
    } finally {
      bare.kill();
    }
  });
}

async function compare({ redirectPort }: BenchService, barePort: number): Promise<void> {
  const at = (port: number, seconds = SECONDS) =>
    load({ port, connections: CONNECTIONS, seconds, keys: KEYS });
  await load({ port: redirectPort, connections: 32, seconds: 3, keys: KEYS, from: 0 });
  await at(barePort, 2);
  const ratios: number[] = [];
  const redirects: number[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const base = await at(barePort);
    const ours = await at(redirectPort);
    ratios.push(ours.perSecond / base.perSecond);
    redirects.push(ours.perSecond);
    console.log(
      `round ${round}: bare node:http ${thousands(base.perSecond)}/s, redirect ${thousands(ours.perSecond)}/s ` +
        `(p50 ${ours.p50Ms} ms, p99 ${ours.p99Ms} ms, ${ours.errors} errors), ratio ${(ours.perSecond / base.perSecond).toFixed(2)}`,
    );
  }
  console.log(`redirect / bare node:http: median ratio ${median(ratios).toFixed(2)} (aim 0.8)`);
  const half = median(redirects) / 2;
  const pauseMs = Math.max(1, Math.round((CONNECTIONS / half) * 1000) - 1);
  const calm = await load({
    port: redirectPort,
    connections: CONNECTIONS,
    seconds: SECONDS,
    keys: KEYS,
    pauseMs,
  });
  console.log(
    `at ${Math.round((calm.perSecond / (2 * half)) * 100)} % load (${thousands(calm.perSecond)}/s): ` +
      `p50 ${calm.p50Ms} ms, p99 ${calm.p99Ms} ms (aim: under 5 ms at half load), ${calm.errors} errors`,
  );
}

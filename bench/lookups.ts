import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { freePort } from '../scripts/ports.ts';
import { db } from '../src/infra/db.ts';
import { percentileOf } from './figures.ts';
import { browserRequest, type Latencies, openLoop } from './open-loop.ts';
import { type BenchOptions, inTurn, type Row } from './rows.ts';
import {
  API,
  type BenchService,
  REDIRECT,
  removeVisits,
  seedLinks,
  withService,
  worker,
} from './service.ts';
import { load, requireWrk } from './wrk.ts';

/** Number of links per round, each of which is requested once at most. */
const COLD_KEYS = 30_000;
/** Links that are requested beforehand, to find out the capacity. */
const WARM_KEYS = 1_000;
const SECONDS = 5;
const CAPACITY_SHARE = 0.1;
/** Changes of a link per round. */
const CHANGES = 100;
/** Time that each direction of the simulated link takes, in ms. */
const ONE_WAY_MS = 40;
/** Time after which all processes have had a change, in ms. */
const SETTLE_MS = 100;
/** Time limit for a change to arrive, in ms. */
const ARRIVAL_MS = 10_000;

/**
 * Measures look-ups of links that neither the process nor Redis knows, and the time until a change
 * of a link has reached redirect processes: two beside Redis, and one over a link of 80 ms.
 */
export function benchLookups({ rounds }: BenchOptions): Promise<Row[]> {
  requireWrk();
  return withService(async (service) => {
    await seedLinks(service, WARM_KEYS + rounds * COLD_KEYS);
    await service.run([REDIRECT]);
    const misses = await coldMisses(service, rounds);
    await service.run([API, worker('writes')]);
    const second = await freePort();
    await service.run([REDIRECT], { REDIRECT_PORT: String(second) });
    const redisUrl = new URL(service.servers.redisUrl);
    const link = await startLink(redisUrl);
    redisUrl.port = String((link.address() as { port: number }).port);
    const distant = await freePort();
    await service.run([REDIRECT], {
      REDIRECT_PORT: String(distant),
      REDIS_URL: redisUrl.href,
    });
    const { near, far } = await inTurn(rounds, {
      near: () => propagation(service, [service.redirectPort, second]),
      far: () => propagation(service, [distant]),
    });
    return rowsOf(misses, near, far);
  });
}

function rowsOf(misses: readonly Latencies[], near: number[], far: number[]): Row[] {
  return [
    {
      what: 'redirects of links that no cache has, at a tenth of the capacity, p50',
      unit: 'ms',
      better: 'less',
      ours: misses.map(({ p50Ms }) => p50Ms),
    },
    {
      what: 'the same, p95',
      unit: 'ms',
      better: 'less',
      ours: misses.map(({ p95Ms }) => p95Ms),
      aim: { ours: 5 },
    },
    {
      what: 'from the answer to a change until two redirect processes obey it, p99',
      unit: 'ms',
      better: 'less',
      ours: near,
      aim: { ours: 100 },
    },
    {
      what: `the same for a process at a distance of ${2 * ONE_WAY_MS} ms`,
      unit: 'ms',
      better: 'less',
      ours: far,
      aim: { ours: 100 },
    },
  ];
}

/** Requests links that neither the process nor Redis knows, each once. */
async function coldMisses(service: BenchService, rounds: number): Promise<Latencies[]> {
  const port = service.redirectPort;
  const warm = { port, connections: 128, keys: WARM_KEYS };
  await load({ ...warm, seconds: 3 });
  const { perSecond } = await load({ ...warm, seconds: SECONDS });
  const misses: Latencies[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await removeVisits(service);
    const first = WARM_KEYS + round * COLD_KEYS;
    misses.push(
      await openLoop({
        port,
        perSecond: Math.min(perSecond * CAPACITY_SHARE, COLD_KEYS / (SECONDS + 1)),
        seconds: SECONDS,
        request: (number) => browserRequest(number, `k${first + number}`),
      }),
    );
  }
  return misses;
}

/**
 * Changes the destination of a link again and again.
 *
 * @returns the time from the answer to the last request, of any process, that did not get the new
 *   destination; p99 in ms
 */
async function propagation({ apiUrl, apiKey }: BenchService, ports: number[]): Promise<number> {
  const { id } = (await db()('links').where({ key: 'k0' }).first('id')) as { id: string };
  const agent = new Agent({ connections: 4 });
  const times: number[] = [];
  for (let change = 0; change < CHANGES; change += 1) {
    // A look-up during which a change arrives is not remembered, and memory is what has to forget.
    await pause(SETTLE_MS);
    for (const port of ports) await destinationAt(port, agent);
    const url = `https://example.com/${ports.join('-')}/${Date.now()}/${change}`;
    const answer = await request(`${apiUrl}/links/${id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url }),
      dispatcher: agent,
    });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`the change got ${answer.statusCode}`);
    const answeredAt = performance.now();
    const arrivals = await Promise.all(ports.map((port) => arrivalAt(port, url, agent)));
    times.push(Math.max(0, Math.max(...arrivals) - answeredAt));
  }
  await agent.close();
  return percentileOf(times, 0.99);
}

/**
 * Requests a link until it leads to its new destination.
 *
 * @returns the time at which the first such request was sent
 */
async function arrivalAt(port: number, url: string, agent: Agent): Promise<number> {
  const until = performance.now() + ARRIVAL_MS;
  for (;;) {
    const sentAt = performance.now();
    if ((await destinationAt(port, agent)) === url) return sentAt;
    if (sentAt > until) throw new Error(`the change has not reached port ${port}`);
  }
}

/** Requests the link. Requests with HEAD are no visits. */
async function destinationAt(port: number, agent: Agent): Promise<unknown> {
  const answer = await request(`http://127.0.0.1:${port}/k0`, {
    method: 'HEAD',
    headers: { host: 'localhost' },
    dispatcher: agent,
  });
  await answer.body.dump();
  return answer.headers['location'];
}

/** Starts a proxy that delays every byte in both directions, in order. */
function startLink({ hostname, port }: URL): Promise<Server> {
  const delay = (from: Socket, to: Socket) => {
    from.on('data', (bytes) => setTimeout(() => to.write(bytes), ONE_WAY_MS));
    from.on('close', () => setTimeout(() => to.destroy(), ONE_WAY_MS));
    from.on('error', () => {});
  };
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ host: hostname, port: Number(port), noDelay: true });
    delay(near, far);
    delay(far, near);
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(server.unref()));
  });
}

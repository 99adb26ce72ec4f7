import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { connectRedis, type Redis } from '../../src/infra/redis.ts';
import type { OwnService } from '../support/own-service.ts';
import { proportional, withDescendants } from '../support/processes.ts';
import { rawRequest, sendRaw } from './raw-request.ts';

/*
 * Measures costs of requests that answers do not show: processor time of the answering process,
 * memory of the programs that workers start, and bytes that remain in Redis.
 */

/** Number of requests by which a kind is measured. */
const TIMES = 6;
/** Time in which the service finishes all work of the requests, in ms. */
const REST_MS = 1_500;
/** Shorter than any program of a worker runs, and long beside a look through `/proc`, in ms. */
const WATCH_EVERY_MS = 100;
/**
 * Milliseconds per tick in `/proc/<pid>/stat` (proc_pid_stat(5), at the usual 100 ticks per
 * second).
 */
const TICK_MS = 10;

/** An expensive request, made unique by a number. */
interface DearRequest {
  name: string;
  process: 'api' | 'redirect';
  target(n: number): string;
  method?: string;
  headers?: [name: string, value: string][];
  body?(n: number): Buffer;
  /** If true, the requests are sent at the same time. */
  isAtOnce?: boolean;
}

/** Measured costs of one kind of request. */
export interface Cost {
  name: string;
  statuses: string;
  /** Processor time of the answering process per request, in ms. */
  processorMs: number;
  /** Bytes that remain in Redis after all {@link TIMES} requests. */
  keptBytes: number;
  /** Memory of all programs of the workers at once, in MiB. */
  childrenMiB: number;
}

const encode = encodeURIComponent;

/** Builds an SVG image with an endless filter of hundreds of MB. */
function heavySvg(n: number): string {
  const floods = Array.from({ length: 88 }, (_, at) => `<feFlood result="f${at}"/>`).join('');
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="1024" height="1024"><filter id="a" x="0" y="0" width="1" height="1">' +
    `${floods}<feTurbulence baseFrequency="0.${n + 1}" numOctaves="999999999"/></filter>` +
    '<rect width="1024" height="1024" filter="url(#a)"/></svg>';
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
}

function dearRequests(apiKey: string, hostileUrl: string): DearRequest[] {
  const authorization: [string, string] = ['authorization', `Bearer ${apiKey}`];
  const json: [string, string] = ['content-type', 'application/json'];
  const segments = () => Array.from({ length: 16 }, () => randomBytes(4).toString('hex'));
  const picture = (n: number) => `${hostileUrl}/noise.jpg?${n}`;
  return [
    {
      name: 'GET /qr with a picture',
      process: 'api',
      target: (n) => `/qr?url=https%3A%2F%2Fexample.com&size=2048&src=${encode(picture(n))}`,
    },
    {
      name: 'GET /metatags',
      process: 'api',
      target: (n) => `/metatags?url=${encode(`${hostileUrl}/page?${n}`)}`,
    },
    {
      name: 'GET /metatags/image',
      process: 'api',
      headers: [authorization],
      target: (n) => `/metatags/image?url=${encode(picture(n))}`,
    },
    {
      name: 'GET /docs/search',
      process: 'api',
      target: (n) => `/docs/search?q=${Array(100).fill('e').join('+')}+${n}`,
    },
    {
      name: 'GET /links with a search',
      process: 'api',
      headers: [authorization],
      target: (n) => `/links?search=${encode(`über ${n} zz`)}`,
    },
    {
      name: 'POST /links with a picture',
      process: 'api',
      method: 'POST',
      headers: [authorization, json],
      target: () => '/links',
      body: (n) => Buffer.from(JSON.stringify({ url: hostileUrl, image: picture(1_000 + n) })),
    },
    {
      name: 'POST /imports of a compressed file',
      process: 'api',
      method: 'POST',
      headers: [authorization, ['content-type', 'application/gzip']],
      target: () => '/imports?source=workspace&dryRun=true',
      body: () => gzipSync(`{"kind":"tag","data":{"name":"${'a'.repeat(7 * 2 ** 20)}"}}\n`),
    },
    {
      name: 'GET of 16 random segments',
      process: 'redirect',
      target: () => `/${segments().join('/')}`,
    },
    // This kind comes last, since it keeps the worker of images busy for a while after its answers.
    {
      name: 'GET /qr with an SVG image',
      process: 'api',
      isAtOnce: true,
      target: (n) => `/qr?url=https%3A%2F%2Fexample.com&src=${encode(heavySvg(n))}`,
    },
  ];
}

/** Sends expensive requests of every kind, one kind after the other, and measures each. */
export async function measureCosts(own: OwnService, apiKey: string): Promise<Cost[]> {
  const server = await hostileServer();
  const hostileUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const redis = connectRedis(own.redisAdminUrl, 'wait');
  try {
    const costs: Cost[] = [];
    for (const dear of dearRequests(apiKey, hostileUrl)) {
      costs.push(await measure(own, redis, dear));
    }
    return costs;
  } finally {
    redis.disconnect();
    server.closeAllConnections();
    server.close();
  }
}

async function measure(own: OwnService, redis: Redis, dear: DearRequest): Promise<Cost> {
  const { service } = own;
  const port =
    dear.process === 'api' ? Number(new URL(service.apiUrl).port) : service.redirectPorts[0];
  const send = async (n: number): Promise<string> => {
    const headers: [string, string][] = [['host', 'localhost'], ...(dear.headers ?? [])];
    const request = rawRequest(dear.method ?? 'GET', dear.target(n), headers, dear.body?.(n));
    return String((await sendRaw(port, request)).status);
  };
  // The first request also pays for code that is loaded or compiled once.
  await send(0);
  await pause(REST_MS);
  const idle = await idleShare(dear.process);
  const before = { bytes: await bytesOf(redis), ms: processorMs(dear.process), at: Date.now() };
  const children = new ChildrenWatch();
  const numbers = Array.from({ length: TIMES }, (_, n) => n + 1);
  const statuses: string[] = [];
  if (dear.isAtOnce === true) statuses.push(...(await Promise.all(numbers.map(send))));
  else for (const n of numbers) statuses.push(await send(n));
  const ms = processorMs(dear.process) - before.ms - idle * (Date.now() - before.at);
  await pause(REST_MS);
  children.stop();
  return {
    name: dear.name,
    statuses: [...new Set(statuses)].toSorted().join(' '),
    processorMs: ms / TIMES,
    keptBytes: (await bytesOf(redis)) - before.bytes,
    childrenMiB: children.most,
  };
}

/**
 * Measures the share of a processor that processes use without requests. On a busy machine, a
 * request takes so long that this counts.
 */
async function idleShare(name: string): Promise<number> {
  const [ms, at] = [processorMs(name), Date.now()];
  await pause(REST_MS);
  return (processorMs(name) - ms) / (Date.now() - at);
}

/** Counts the bytes of all data in Redis, without its own overhead. */
async function bytesOf(redis: Redis): Promise<number> {
  const info = await redis.info('memory');
  return Number(/used_memory_dataset:(\d+)/.exec(info)![1]);
}

/** Finds this run's service processes by name. */
const processesOf = (name: RegExp) =>
  withDescendants(process.pid).filter((one) => name.test(one.name));

/** Reads the processor time of all processes with a name, in ms. */
function processorMs(name: string): number {
  return processesOf(new RegExp(`^${name}`)).reduce((sum, { id }) => {
    const [, user, system] = /\) \S(?: \S+){10} (\d+) (\d+)/.exec(
      readFileSync(`/proc/${id}/stat`, 'utf8'),
    )!;
    return sum + (Number(user) + Number(system)) * TICK_MS;
  }, 0);
}

/** Samples the memory of all programs of the workers together. */
export class ChildrenWatch {
  /** Highest sum, in MiB. */
  most = 0;
  readonly #timer = setInterval(() => this.#look(), WATCH_EVERY_MS);

  #look(): void {
    const workers = processesOf(/^worker_/).map(({ id }) => id);
    const children = withDescendants(...workers).slice(workers.length);
    const sum = children.reduce((total, { id }) => total + proportional(id), 0);
    this.most = Math.max(this.most, sum);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** Starts a server with incompressible pictures, each different, and pages that name one. */
async function hostileServer(): Promise<Server> {
  const side = 512;
  const raw = { width: side, height: side, channels: 3 } as const;
  const noise = () => sharp(randomBytes(side * side * 3), { raw }).jpeg({ quality: 95 });
  const server = createServer((request, response) => {
    if (request.url!.startsWith('/noise')) {
      response.writeHead(200, { 'content-type': 'image/jpeg' });
      noise().pipe(response);
      return;
    }
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<title>${'a'.repeat(10_000)}</title><meta property="og:image" content="/noise.jpg">`);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return server;
}

import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { parseProcfile } from '../scripts/procfile.ts';
import { db } from '../src/infra/db.ts';
import { createWorkspace, updateWorkspace } from '../src/workspaces/commands.ts';
import { percentileOf } from './figures.ts';
import { type BenchOptions, inTurn, type Row } from './rows.ts';
import { type BenchService, withService } from './service.ts';

/** Concurrent requests of a load. */
const AT_ONCE = 20;
const REGULAR_PAUSE_MS = 20;
const ALONE = 'without load';
/** Duration of each load in a round, in ms. */
const ROUND_MS = 12_000;
const DOMAINS = 200;
const HANGING_WORKSPACES = 10;
const HANGING_WEBHOOKS = 10;

const agent = new Agent({ connections: 200 });

/**
 * Sends a request of a workspace, or without a key. @returns the body, or `undefined` unless it
 * succeeded
 */
async function send(
  url: string,
  apiKey: string,
  method: 'GET' | 'POST' = 'GET',
  body?: object,
  headers: Record<string, string> = {},
): Promise<Record<string, string> | undefined> {
  const answer = await request(url, {
    dispatcher: agent,
    method,
    headers: {
      ...(apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await answer.body.text();
  return answer.statusCode < 300 && text.startsWith('{')
    ? (JSON.parse(text) as Record<string, string>)
    : undefined;
}

/** Context of each load. */
interface LoadContext {
  service: BenchService;
  /** API key of the workspace that causes the load. */
  loadKey: string;
  /** URL of a server that accepts requests and never responds. */
  hangs: string;
}

/** A kind of expensive requests, which are repeated after a preparation. */
interface Load {
  name: string;
  prepare?(context: LoadContext): Promise<string[]>;
  request(context: LoadContext, n: number, prepared: string[]): Promise<unknown>;
}

const address = (n: number) => ({ 'x-forwarded-for': `10.${(n >> 14) & 255}.${(n >> 6) & 255}.1` });

const LOADS: Load[] = [
  {
    name: `${DOMAINS} domains under a silent name server`,
    async prepare({ service, loadKey }) {
      const ids: string[] = [];
      for (let n = 0; n < DOMAINS; n += 1) {
        const created = await send(`${service.apiUrl}/domains`, loadKey, 'POST', {
          slug: `d${n}.load.example`,
        });
        if (created?.['id'] !== undefined) ids.push(created['id']);
      }
      return ids;
    },
    request: ({ service, loadKey }, n, ids) =>
      send(`${service.apiUrl}/domains/${ids[n % ids.length]}/verify`, loadKey, 'POST'),
  },
  {
    name: 'exports',
    request: ({ service, loadKey }) =>
      send(`${service.apiUrl}/links/export`, loadKey, 'GET', undefined, {
        prefer: 'respond-async',
      }),
  },
  {
    name: `hanging webhooks of ${HANGING_WORKSPACES} workspaces`,
    async prepare({ service, hangs }) {
      const keys: string[] = [];
      for (let n = 0; n < HANGING_WORKSPACES; n += 1) {
        const apiKey = await aWorkspace(`hanging-${n}`);
        keys.push(apiKey);
        for (let hook = 0; hook < HANGING_WEBHOOKS; hook += 1) {
          await send(`${service.apiUrl}/webhooks`, apiKey, 'POST', {
            name: `hook ${hook}`,
            url: `${hangs}/${n}/${hook}`,
            kinds: ['link.created'],
          });
        }
      }
      return keys;
    },
    request: ({ service }, n, keys) =>
      send(`${service.apiUrl}/links`, keys[n % keys.length]!, 'POST', {
        url: 'https://example.com/',
      }),
  },
  {
    name: 'heavy analytics',
    request: ({ service, loadKey }) =>
      send(`${service.apiUrl}/analytics?groupBy=top_urls&interval=all&city=Berlin`, loadKey),
  },
  {
    name: 'deep pages',
    request: ({ service, loadKey }, n) =>
      send(`${service.apiUrl}/links?page=${900 + (n % 10_000)}&pageSize=100`, loadKey),
  },
  {
    name: 'invalid keys',
    request: ({ service }, n) =>
      send(`${service.apiUrl}/links`, `sk_${n}`, 'GET', undefined, address(n)),
  },
  {
    name: 'bulk creation',
    request: ({ service, loadKey }) =>
      send(
        `${service.apiUrl}/links/bulk`,
        loadKey,
        'POST',
        Array.from({ length: 100 }, () => ({ url: 'https://example.com/' })),
      ),
  },
  {
    name: 'metatags of hanging sites',
    request: ({ service, hangs }, n) =>
      send(
        `${service.apiUrl}/metatags?url=${encodeURIComponent(`${hangs}/page/${n}`)}`,
        '',
        'GET',
        undefined,
        address(n),
      ),
  },
  {
    name: 'images of hanging sites',
    request: ({ service, loadKey, hangs }, n) =>
      send(`${service.apiUrl}/qrcodes`, loadKey, 'POST', {
        type: 'url',
        url: 'https://example.com/',
        src: `${hangs}/image/${n}.png`,
      }),
  },
  {
    name: 'QR codes',
    request: ({ service }, n) =>
      send(
        `${service.apiUrl}/qr?url=${encodeURIComponent(`https://example.com/${n}`)}&pattern=dots&size=1024`,
        '',
        'GET',
        undefined,
        address(n),
      ),
  },
];

/** Creates a workspace without a request limit. @returns its key */
async function aWorkspace(slug: string): Promise<string> {
  const { apiKey } = await createWorkspace(db(), { slug, plan: 'enterprise' });
  await updateWorkspace(db(), slug, { requestsPerMinute: 0 });
  return apiKey;
}

const KINDS = ['write', 'read', 'redirect'] as const;
type Latencies = Record<(typeof KINDS)[number], number[]>;

/** 99th percentiles. */
const percentilesOf = ({ write, read, redirect }: Latencies): Record<keyof Latencies, number> => ({
  write: percentileOf(write, 0.99),
  read: percentileOf(read, 0.99),
  redirect: percentileOf(redirect, 0.99),
});

/** Writes a link, reads it and opens it, repeatedly. @returns the duration of each, in ms */
async function measureRegular({ apiUrl, redirectPort, apiKey }: BenchService, ms: number) {
  const took: Latencies = { write: [], read: [], redirect: [] };
  const until = Date.now() + ms;
  const time = async <T>(kind: keyof Latencies, work: Promise<T>): Promise<T> => {
    const began = performance.now();
    const result = await work;
    took[kind].push(performance.now() - began);
    return result;
  };
  while (Date.now() < until) {
    const url = `${apiUrl}/links`;
    const link = await time('write', send(url, apiKey, 'POST', { url: 'https://example.com/' }));
    if (link !== undefined) {
      await time('read', send(`${url}/${link['id']}`, apiKey));
      const short = `http://127.0.0.1:${redirectPort}/${link['key']}`;
      await time('redirect', send(short, '', 'GET', undefined, { host: 'localhost' }));
    }
    await pause(REGULAR_PAUSE_MS);
  }
  return took;
}

/** Repeats the requests of a load until `signal` is aborted. */
async function keepUp(load: Load, context: LoadContext, prepared: string[], signal: AbortSignal) {
  let n = 0;
  const loop = async () => {
    while (!signal.aborted) await load.request(context, n++, prepared).catch(() => pause(50));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, loop));
}

/** Measures latencies of one workspace without load, and under each of the loads of another one. */
export async function benchTenants({ rounds }: BenchOptions): Promise<Row[]> {
  const nameServer = createSocket('udp4').bind(0, '127.0.0.1');
  const hanging = createServer(() => {}).listen(0, '127.0.0.1');
  await pause(100);
  const rows = await withService(async (service) => {
    await service.run(parseProcfile(readFileSync('Procfile', 'utf8')), {
      DNS_SERVERS: `127.0.0.1:${nameServer.address().port}`,
      OUTBOUND_ALLOW: '127.0.0.1',
      PUBLIC_REQUESTS_PER_MINUTE: '0',
      RATES_URL: 'http://127.0.0.1:9/',
      RATES_MAX_AGE_DAYS: '0',
    });
    const hangs = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`;
    const context = { service, loadKey: await aWorkspace('load'), hangs };
    await measureRegular(service, 1_000);
    const prepared = new Map<Load, string[]>();
    const whileLoading = async (load: Load) => {
      if (!prepared.has(load)) prepared.set(load, (await load.prepare?.(context)) ?? []);
      const end = new AbortController();
      const loading = keepUp(load, context, prepared.get(load)!, end.signal);
      const took = await measureRegular(service, ROUND_MS);
      end.abort();
      await loading;
      return took;
    };
    const measures: [string, () => Promise<Latencies>][] = [
      [ALONE, () => measureRegular(service, ROUND_MS)],
      ...LOADS.map((load): [string, () => Promise<Latencies>] => [
        load.name,
        () => whileLoading(load),
      ]),
    ];
    const measured = await inTurn(
      rounds,
      Object.fromEntries(
        measures.map(([name, measure]) => [name, async () => percentilesOf(await measure())]),
      ),
    );
    return LOADS.flatMap(({ name }) =>
      KINDS.map((kind): Row => {
        const figuresOf = (what: string) => measured[what]!.map((percentiles) => percentiles[kind]);
        return {
          what: `p99 of a ${kind} while another workspace loads: ${name}`,
          unit: 'ms',
          better: 'less',
          ours: figuresOf(name),
          baseline: { what: ALONE, figures: figuresOf(ALONE) },
        };
      }),
    );
  });
  nameServer.close();
  hanging.closeAllConnections();
  hanging.close();
  return rows;
}

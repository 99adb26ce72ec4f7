import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { Agent, request } from 'undici';
import { ARCHIVE_FORMAT, ARCHIVE_KINDS, ARCHIVE_VERSION } from '../src/exports/archive.ts';
import { db } from '../src/infra/db.ts';
import { createWorkspace } from '../src/workspaces/commands.ts';
import { type BenchService, seedLinks } from './service.ts';

/** Target of attacks, and what they need. */
export interface Target {
  service: BenchService;
  /** Keys of one person's free workspaces. */
  freeKeys: string[];
  /** Key of a workspace with many links. */
  largeKey: string;
  /** A server of the attacker, on loopback. */
  hostileUrl: string;
}

/** An attack: requests that are repeated for a minute. */
export interface Attack {
  name: string;
  /** Concurrent requests. */
  lanes: number;
  /** Pause after each answer, in ms. */
  pauseMs?: number;
  prepare?(target: Target): Promise<void>;
  /** @returns the status of the answer; 0 for none */
  send(target: Target, n: number): Promise<number>;
}

const LARGE = 150_000;
const PAGE = 19_000;
const SLOW_MS = 25_000;
const FREE_WORKSPACES = 6;
const BOMB_RECORDS = 30;
const BOMB_NAME = 7 * 2 ** 20;
/** Address of the stranger, so that limits by address apply. */
const STRANGER = { 'x-forwarded-for': '203.0.113.66' };

const agent = new Agent({ connections: 200, headersTimeout: 120_000 });

interface Sent {
  apiKey?: string;
  body?: Buffer | object;
  headers?: Record<string, string>;
}

async function send(url: string, { apiKey, body, headers = {} }: Sent = {}): Promise<number> {
  try {
    const answer = await request(url, {
      dispatcher: agent,
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...STRANGER,
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : Buffer.isBuffer(body) ? body : JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (process.env['HOSTILE_ANSWERS'] !== undefined && answer.statusCode >= 400) {
      console.error(answer.statusCode, text.slice(0, 300));
    }
    return answer.statusCode;
  } catch {
    return 0;
  }
}

/** Builds an SVG image that takes hundreds of MB, with a filter that never ends. */
function svgBomb(n: number): string {
  const floods = Array.from({ length: 88 }, (_, i) => `<feFlood result="f${i}"/>`).join('');
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="1024" height="1024"><filter id="a" x="0" y="0" width="1" height="1">` +
    `${floods}<feTurbulence baseFrequency="0.${n + 1}" numOctaves="999999999"/></filter>` +
    '<rect width="1024" height="1024" filter="url(#a)"/></svg>';
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
}

/** Builds the export of a workspace whose few records unpack to hundreds of MB. */
function archiveBomb(): Buffer {
  const counts = Object.fromEntries(ARCHIVE_KINDS.map((kind) => [kind, 0]));
  const header = {
    format: ARCHIVE_FORMAT,
    version: ARCHIVE_VERSION,
    service: '0.5.0',
    createdAt: '2026-01-01T00:00:00Z',
    workspace: { id: 'proj_bomb', name: 'bomb' },
    defaultDomain: 'localhost',
    passwords: null,
    counts: { ...counts, tag: BOMB_RECORDS },
  };
  const lines = [
    header,
    ...Array.from({ length: BOMB_RECORDS }, (_, n) => ({
      kind: 'tag',
      data: { id: `tag_${n}`, name: 'a'.repeat(BOMB_NAME), color: 'red' },
    })),
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const sha256 = createHash('sha256').update(text).digest('hex');
  return gzipSync(`${text}${JSON.stringify({ end: { records: BOMB_RECORDS, sha256 } })}\n`);
}

const bomb: { bytes?: Buffer } = {};

export const ATTACKS: readonly Attack[] = [
  {
    name: 'pictures',
    lanes: 8,
    send: ({ service, hostileUrl }, n) => {
      const src = encodeURIComponent(`${hostileUrl}/noise.jpg?${n}`);
      return send(`${service.apiUrl}/qr?url=https%3A%2F%2Fexample.com&size=4096&src=${src}`);
    },
  },
  {
    name: 'svg',
    lanes: 4,
    send: ({ service }, n) =>
      send(
        `${service.apiUrl}/qr?url=https%3A%2F%2Fexample.com&src=${encodeURIComponent(svgBomb(n))}`,
      ),
  },
  {
    name: 'import',
    lanes: 5,
    pauseMs: 1_000,
    send: ({ service, freeKeys, hostileUrl }, n) =>
      send(`${service.apiUrl}/imports/fetch`, {
        apiKey: freeKeys[n % freeKeys.length]!,
        body: { source: 'shlink', url: hostileUrl, token: 'token', dryRun: true },
      }),
  },
  {
    name: 'archive',
    lanes: 1,
    pauseMs: 5_000,
    async prepare() {
      bomb.bytes ??= archiveBomb();
    },
    send: ({ service, freeKeys }, n) =>
      send(`${service.apiUrl}/imports?source=workspace&dryRun=true`, {
        apiKey: freeKeys[n % freeKeys.length]!,
        body: bomb.bytes!,
        headers: { 'content-type': 'application/gzip' },
      }),
  },
  {
    name: 'lists',
    lanes: 60,
    send: ({ service, largeKey }, n) =>
      send(`${service.apiUrl}/links?search=${encodeURIComponent(`über ${n % 7} zz`)}`, {
        apiKey: largeKey,
      }),
  },
  {
    name: 'docs',
    lanes: 40,
    send: ({ service }, n) =>
      send(`${service.apiUrl}/docs/search?q=${Array(100).fill('e').join('+')}+${n}`),
  },
  {
    name: 'paths',
    lanes: 100,
    send: ({ service }) => {
      const segments = Array.from({ length: 16 }, () => randomBytes(4).toString('hex'));
      return send(`http://127.0.0.1:${service.redirectPort}/${segments.join('/')}`, {
        headers: { host: 'localhost' },
      });
    },
  },
];

/**
 * Starts a server that answers with distinct noisy images, and as a Shlink server whose only page
 * never ends.
 */
async function hostileServer(): Promise<Server> {
  const side = 512;
  const raw = { width: side, height: side, channels: 3 } as const;
  const noise = () => sharp(randomBytes(side * side * 3), { raw }).jpeg({ quality: 95 });
  const data = Array.from({ length: PAGE }, (_, n) => ({
    shortUrl: `https://s.test/${n}`,
    shortCode: String(n),
    longUrl: `https://example.com/${n}`,
    dateCreated: '2024-01-01T00:00:00+00:00',
    hasRedirectRules: true,
  }));
  const page = JSON.stringify({
    shortUrls: { data, pagination: { currentPage: 1, pagesCount: 9, totalItems: 9 * PAGE } },
  });
  const server = createServer((incoming, answer) => {
    if (incoming.url?.startsWith('/noise') === true) {
      answer.writeHead(200, { 'content-type': 'image/jpeg' });
      noise().pipe(answer);
      return;
    }
    const isPage = /^\/rest\/v3\/short-urls(\?|$)/.test(incoming.url ?? '');
    const body = isPage ? page : JSON.stringify({ redirectRules: [] });
    const later = () => answer.writeHead(200, { 'content-type': 'application/json' }).end(body);
    if (isPage) later();
    else setTimeout(later, SLOW_MS);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/**
 * Creates what attacks need: workspaces of the attacker, one of them with many links, and a server.
 */
export async function prepareTarget(
  service: BenchService,
): Promise<{ target: Target; close(): void }> {
  const freeKeys: string[] = [];
  for (let n = 0; n < FREE_WORKSPACES; n += 1) {
    freeKeys.push((await createWorkspace(db(), { slug: `free-${n}`, plan: 'free' })).apiKey);
  }
  const large = await createWorkspace(db(), { slug: 'large', plan: 'business' });
  await seedLinks({ projectId: large.id, domainId: service.domainId }, LARGE, 'large');
  const server = await hostileServer();
  const { port } = server.address() as AddressInfo;
  return {
    target: {
      service,
      freeKeys,
      largeKey: large.apiKey,
      hostileUrl: `http://127.0.0.1:${port}`,
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/**
 * Repeats the requests of an attack until `signal` is aborted. @returns number of answers by status
 */
export async function keepAttacking(
  attack: Attack,
  target: Target,
  signal: AbortSignal,
): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  const aborted = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined));
  });
  let n = 0;
  const lane = async () => {
    for (;;) {
      n += 1;
      const status = await Promise.race([attack.send(target, n), aborted]);
      if (status === undefined) return;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      // An immediate refusal is no load.
      await pause(attack.pauseMs ?? (status === 429 || status === 503 ? 50 : 0));
    }
  };
  await Promise.all(Array.from({ length: attack.lanes }, lane));
  return statuses;
}

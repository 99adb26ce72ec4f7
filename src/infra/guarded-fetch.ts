import { lookup as systemLookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import ipaddr from 'ipaddr.js';
import { Agent, buildConnector, request } from 'undici';
import { config } from '../config.ts';
import { parseUrl } from './url.ts';

/*
 * The only way out to the web. Addresses to fetch from come from strangers, who would like us to ask what only we
 * can reach: our own databases, a cloud's metadata service. So the address itself is judged, at the moment of
 * connecting, after every resolution and every redirect: a name that means something else a second later changes
 * nothing.
 */

/** What was fetched. */
export interface Fetched {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  /** Where it came from, after redirects. */
  url: string;
}

/** How much may be fetched, and how. */
export interface FetchOptions {
  /** Of the body, after decompression. */
  maxBytes: number;
  /** What becomes of a larger body: it is refused, which is the default, or what is over is left. */
  overflow?: 'refuse' | 'cut';
  /** Says of each piece of the body whether that was enough: no more is read then. */
  isEnough?: (piece: Buffer) => boolean;
  /** Takes compressed bodies too. */
  compressed?: boolean;
  /** Connections are kept for the next request to the same place; what they lead to was judged when they were opened. */
  keepAlive?: boolean;
  /** For everything together: names, redirects, body. */
  timeoutMs: number;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  /** Nothing of the body is read. */
  headersOnly?: boolean;
  /** Redirects that are followed; 3 without. Only those of a GET are, and other origins don't get `headers`. */
  maxRedirects?: number;
}

/** Something was not fetched for a reason that its owner can do something about; completes "could not be fetched: …". */
export class FetchRefused extends Error {}

const USER_AGENT = 'Mozilla/5.0 (compatible; shortlinks/1.0)';
const REDIRECTS = 3;
/** For a connection to come about, in ms. */
const CONNECT_MS = 10_000;
/** What is kept of connections: so many to one place, so long. */
const KEPT: Agent.Options = {
  connections: 32,
  keepAliveTimeout: 10_000,
  keepAliveMaxTimeout: 60_000,
};
/** Those of http and https, which `URL` leaves out where they are usual: other services listen on other ports. */
const WEB_PORTS = new Set(['', '80', '443']);
/** Public to look at, reached by Azure's own machines only, and their source of metadata. */
const AZURE_WIRE_SERVER = '168.63.129.16';

/**
 * Fetches from a public address.
 *
 * @throws FetchRefused when the address is private, or the answer is too large, too late or none
 */
export async function guardedFetch(url: string, options: FetchOptions): Promise<Fetched> {
  const signal = AbortSignal.timeout(options.timeoutMs);
  const agent = options.keepAlive === true ? pooled() : newAgent(CONNECT_MS);
  try {
    return await follow(url, options, agent, signal);
  } catch (error) {
    if (error instanceof FetchRefused || isOurs(error)) throw error;
    throw new FetchRefused(reasonOf(error, signal, options), { cause: error });
  } finally {
    if (agent !== pool) agent.destroy().catch(() => {});
  }
}

let pool: Agent | undefined;

const pooled = (): Agent => (pool ??= newAgent(CONNECT_MS, KEPT));

function newAgent(timeout: number, options: Agent.Options = { pipelining: 0 }): Agent {
  return new Agent({
    ...options,
    // The port is part of the judgement, and a look-up alone isn't told of it.
    connect: (target, done) => {
      buildConnector({ lookup: guardedLookup(target.port) as typeof systemLookup, timeout })(
        target,
        done,
      );
    },
  });
}

async function follow(
  first: string,
  options: FetchOptions,
  agent: Agent,
  signal: AbortSignal,
): Promise<Fetched> {
  const { method = 'GET', headers = {}, body } = options;
  const maxRedirects = method === 'GET' ? (options.maxRedirects ?? REDIRECTS) : 0;
  let url = readUrl(first);
  const { origin } = url;
  for (let redirects = 0; ; redirects += 1) {
    const answer = await request(url, {
      method,
      headers: {
        'user-agent': USER_AGENT,
        'accept-encoding': options.compressed === true ? 'gzip, deflate, br' : 'identity',
        ...(url.origin === origin ? headers : {}),
      },
      ...(body === undefined ? {} : { body }),
      dispatcher: agent,
      signal,
    });
    // A body that is given up says so once more, to nobody: without a listener that would end the process.
    answer.body.on('error', () => {});
    const { statusCode: status } = answer;
    const location = answer.headers['location'];
    if (status >= 300 && status < 400 && typeof location === 'string' && maxRedirects > 0) {
      await answer.body.dump();
      if (redirects === maxRedirects) {
        throw new FetchRefused(`it redirects more than ${maxRedirects} times`);
      }
      const next = parseUrl(location, url);
      if (next === undefined) throw new FetchRefused('it redirects to no valid address');
      url = readUrl(next.href);
      continue;
    }
    if (options.headersOnly === true) {
      answer.body.destroy();
      return {
        status,
        headers: plainHeaders(answer.headers),
        body: Buffer.alloc(0),
        url: url.href,
      };
    }
    return {
      status,
      headers: plainHeaders(answer.headers),
      body: await collect(
        decompressed(answer.body, answer.headers['content-encoding'], options),
        options,
      ),
      url: url.href,
    };
  }
}

const DECOMPRESS: Record<string, () => NodeJS.ReadWriteStream & Readable> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** @throws FetchRefused for an encoding that was not asked for */
function decompressed(
  body: Readable,
  encoding: string | string[] | undefined,
  options: FetchOptions,
): Readable {
  const name = String(encoding ?? 'identity')
    .trim()
    .toLowerCase();
  if (name === 'identity' || name === '') return body;
  const stream = options.compressed === true ? DECOMPRESS[name]?.() : undefined;
  if (stream === undefined) {
    body.destroy();
    throw new FetchRefused('it is compressed in a way that was not asked for');
  }
  body.on('error', (error) => stream.destroy(error));
  stream.on('close', () => body.destroy());
  return body.pipe(stream);
}

async function collect(
  stream: Readable,
  { maxBytes, overflow = 'refuse', isEnough = () => false }: FetchOptions,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > maxBytes && overflow === 'refuse') {
      throw new FetchRefused(`it is larger than ${sizeText(maxBytes)}`);
    }
    pieces.push(piece);
    if (size >= maxBytes && overflow === 'cut') break;
    if (isEnough(piece)) break;
  }
  const body = Buffer.concat(pieces);
  return body.length > maxBytes ? body.subarray(0, maxBytes) : body;
}

const sizeText = (bytes: number): string =>
  bytes >= 1024 * 1024 ? `${bytes / 1024 / 1024} MiB` : `${bytes} bytes`;

function plainHeaders(headers: Record<string, string | string[] | undefined>) {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, String(value ?? '')]),
  );
}

/** @throws FetchRefused for other schemes, credentials, and hosts that are forbidden addresses */
function readUrl(text: string): URL {
  const url = parseUrl(text);
  if (url === undefined) throw new FetchRefused('it is no valid address');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new FetchRefused('it must begin with http:// or https://');
  }
  if (url.username !== '' || url.password !== '') {
    throw new FetchRefused('it must not contain a user name or password');
  }
  // A literal address is never looked up. URL has turned 0x7f.1 and its like into dotted numbers by now.
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const objection = isIP(host) === 0 ? undefined : objectionTo([host], url.port);
  if (objection !== undefined) throw objection;
  return url;
}

/** Why a host with these addresses may not be asked at a port; `undefined` when it may. */
function objectionTo(addresses: string[], port: string): FetchRefused | undefined {
  if (!addresses.every(isAllowed)) return new FetchRefused('it leads to a private address');
  if (!WEB_PORTS.has(port) && !addresses.every(isListed)) {
    return new FetchRefused('its port must be 80 or 443');
  }
  return undefined;
}

type LookupCallback = (
  error: Error | null,
  addresses?: string | { address: string; family: number }[],
  family?: number,
) => void;

/** Resolves a name, and refuses it when any of its addresses is forbidden. */
const guardedLookup =
  (port: string) =>
  (
    hostname: string,
    options: { all?: boolean; family?: number },
    callback: LookupCallback,
  ): void => {
    lookUp(hostname, options.family ?? 0, (error, found) => {
      if (error !== null) return callback(error);
      const objection = objectionTo(
        found.map(({ address }) => address),
        port,
      );
      if (objection !== undefined) return callback(objection);
      const first = found[0]!;
      if (options.all === true) callback(null, found);
      else callback(null, first.address, first.family);
    });
  };

type Found = { address: string; family: number }[];

/** All addresses of a name: as the system knows them, or the name servers of the settings. */
function lookUp(
  hostname: string,
  family: number,
  done: (error: Error | null, found: Found) => void,
): void {
  const servers = config().DNS_SERVERS;
  if (servers.length === 0) {
    systemLookup(hostname, { family, all: true }, done);
    return;
  }
  const resolver = new Resolver({ timeout: 3_000, tries: 2 });
  resolver.setServers(servers);
  Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]).then(
    (answers) => {
      const found = answers.flatMap((answer, at) =>
        answer.status === 'fulfilled'
          ? answer.value.map((address) => ({ address, family: at === 0 ? 4 : 6 }))
          : [],
      );
      const [first] = answers;
      if (found.length > 0) done(null, found);
      else
        done(first?.status === 'rejected' ? (first.reason as Error) : new Error('no address'), []);
    },
    (error: Error) => done(error, []),
  );
}

/**
 * Whether an address may be asked: a public one (nothing that RFC 6890 and its registries reserve), or one that the
 * operator allows.
 */
export function isAllowed(address: string): boolean {
  if (isListed(address)) return true;
  const parsed = ipaddr.process(address);
  // An IPv4 address inside an IPv6 one is a way to reach it: NAT64 (RFC 6052), 6to4 (RFC 3056), Teredo (RFC 4380)
  // and their kin are all ranges of their own, or outside of what is given to the internet (RFC 4291, 2.4).
  if (parsed.range() !== 'unicast' || parsed.toString() === AZURE_WIRE_SERVER) return false;
  return parsed.kind() === 'ipv4' || parsed.match(ipaddr.parseCIDR('2000::/3'));
}

/** Whether the operator allows an address by name, at any port. */
function isListed(address: string): boolean {
  const parsed = ipaddr.process(address);
  return config().OUTBOUND_ALLOW.some((entry) => {
    const [range, bits] = entry.includes('/')
      ? ipaddr.parseCIDR(entry)
      : [ipaddr.process(entry), entry.includes(':') ? 128 : 32];
    return range.kind() === parsed.kind() && parsed.match([range, bits]);
  });
}

/** A request that could not be made is our own fault, not that of the address. */
const isOurs = (error: unknown): boolean =>
  (error as { code?: string }).code === 'UND_ERR_INVALID_ARG' || error instanceof RangeError;

/** Why something failed, in words that tell nothing of our own network. */
function reasonOf(error: unknown, signal: AbortSignal, { timeoutMs }: FetchOptions): string {
  const chain = [error, (error as { cause?: unknown }).cause];
  for (const one of chain) if (one instanceof FetchRefused) return one.message;
  if (signal.aborted) return `it took longer than ${timeoutMs / 1000} s`;
  const { code = '' } = error as { code?: string };
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'its host is not known';
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) return 'its certificate is not valid';
  return 'its host does not answer';
}

import type { LookupAddress } from 'node:dns';
import { Resolver, lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import { callbackify } from 'node:util';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import ipaddr from 'ipaddr.js';
import { Agent, buildConnector, type Dispatcher, request } from 'undici';
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
  /** Says of an answer whether its body shall be read; absent: every body is. */
  isWanted?: (status: number, headers: Record<string, string>) => boolean;
  /** Says of each piece of the body whether that was enough: no more is read then. */
  isEnough?: (piece: Buffer) => boolean;
  /** Takes compressed bodies too. */
  compressed?: boolean;
  /**
   * Connections are kept for the next request to the same place; what they lead to was judged when they were opened.
   * One whose answer was not read to its end is closed.
   */
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
/** For each of several addresses, in ms: Node's own 250 is less than a way around the world and back takes. */
const ADDRESS_MS = 2_000;
/** For one question to a name server, in ms. It is asked twice. */
const DNS_MS = 2_000;
/** How long addresses of one kind are waited for when those of the other are there, in ms. */
const OTHER_KIND_MS = 300;
/** How much more of a compressed body may be read than is wanted of it: about that much is on its way at once. */
const READ_AHEAD = 1024 * 1024;
/**
 * What is kept of connections: so many to one place, so long. Many servers hang up after 5 s. One place may be that of
 * many webhooks, some of which wait for an answer: fewer would let those hold up the others.
 */
const KEPT: Agent.Options = {
  connections: 600,
  keepAliveTimeout: 4_000,
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
  const agent = options.keepAlive === true ? pooled() : newAgent({ pipelining: 0 });
  try {
    return await until(signal, follow(url, options, agent, signal));
  } catch (error) {
    if (error instanceof FetchRefused || isOurs(error)) throw error;
    throw new FetchRefused(reasonOf(error, signal, options), { cause: error });
  } finally {
    if (agent !== pool) agent.destroy().catch(() => {});
  }
}

/** What work comes to, unless the signal comes first: undici heeds it only once there is a connection. */
function until<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    work.then(resolve, reject);
  });
}

let pool: Agent | undefined;

const pooled = (): Agent => (pool ??= newAgent(KEPT));

function newAgent(options: Agent.Options): Agent {
  return new Agent({
    ...options,
    // The port is part of the judgement, and a look-up alone isn't told of it.
    connect: (target, done) => {
      const connector = buildConnector({
        lookup: guardedLookup(target.port),
        timeout: CONNECT_MS,
        autoSelectFamilyAttemptTimeout: ADDRESS_MS,
      });
      connector(target, done);
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
      // Whatever is in it, however slowly it comes: nobody reads it.
      answer.body.destroy();
      if (redirects === maxRedirects) {
        throw new FetchRefused(`it redirects more than ${maxRedirects} times`);
      }
      const next = parseUrl(location, url);
      if (next === undefined) throw new FetchRefused('it redirects to no valid address');
      url = readUrl(next.href);
      continue;
    }
    const plain = plainHeaders(answer.headers);
    if (options.headersOnly === true || options.isWanted?.(status, plain) === false) {
      answer.body.destroy();
      return { status, headers: plain, body: Buffer.alloc(0), url: url.href };
    }
    return {
      status,
      headers: plain,
      body: await collect(decompressed(answer, options), options),
      url: url.href,
    };
  }
}

const DECOMPRESS = new Map<string, () => Duplex>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** @throws FetchRefused for an encoding that was not asked for */
function decompressed(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  { compressed, maxBytes }: FetchOptions,
): Readable {
  const encoding = String(headers['content-encoding'] ?? 'identity')
    .trim()
    .toLowerCase();
  // An answer without a body may name an encoding all the same.
  const isEmpty = statusCode === 204 || headers['content-length'] === '0';
  if (isEmpty || encoding === 'identity' || encoding === '') return body;
  const stream = compressed === true ? DECOMPRESS.get(encoding)?.() : undefined;
  if (stream === undefined) {
    body.destroy();
    throw new FetchRefused('it is compressed in a way that was not asked for');
  }
  // What becomes of a body is counted later. One can be made that becomes nothing, and never ends.
  let received = 0;
  body.on('data', (piece: Buffer) => {
    received += piece.length;
    if (received > maxBytes + READ_AHEAD) stream.destroy(tooLarge(maxBytes));
  });
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
      throw tooLarge(maxBytes);
    }
    pieces.push(piece);
    if (size >= maxBytes && overflow === 'cut') break;
    if (isEnough(piece)) break;
  }
  const body = Buffer.concat(pieces);
  return body.length > maxBytes ? body.subarray(0, maxBytes) : body;
}

const tooLarge = (maxBytes: number): FetchRefused =>
  new FetchRefused(`it is larger than ${sizeText(maxBytes)}`);

const sizeText = (bytes: number): string =>
  bytes >= 1024 * 1024 ? `${bytes / 1024 / 1024} MiB` : `${bytes} bytes`;

function plainHeaders(headers: Record<string, string | string[] | undefined>) {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, String(value ?? '')]),
  );
}

/** @throws FetchRefused for other schemes, credentials, and hosts that are forbidden addresses */
export function readUrl(text: string): URL {
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

/** Resolves a name for a connection, and refuses it when any of its addresses is forbidden. */
const guardedLookup =
  (port: string): LookupFunction =>
  (hostname, options, callback) => {
    callbackify(findAllowed)(hostname, port, (error, found) => {
      if (error !== null) callback(error, []);
      else if (options.all === true) callback(null, found);
      else callback(null, found[0]!.address, found[0]!.family);
    });
  };

async function findAllowed(hostname: string, port: string): Promise<LookupAddress[]> {
  const found = await lookUp(hostname);
  if (isNamed(hostname)) return found;
  const addresses = found.map(({ address }) => address);
  const objection = objectionTo(addresses, port);
  if (objection !== undefined) throw objection;
  return found;
}

/** All addresses of a name: as the system knows them, or the name servers of the settings. */
async function lookUp(hostname: string): Promise<LookupAddress[]> {
  const servers = config().DNS_SERVERS;
  // No name server is asked for localhost (RFC 6761, 6.3).
  if (servers.length === 0 || /(^|\.)localhost\.?$/i.test(hostname)) {
    return systemLookup(hostname, { all: true });
  }
  const resolver = new Resolver({ timeout: DNS_MS, tries: 2 });
  resolver.setServers(servers);
  const kinds = [resolver.resolve4(hostname), resolver.resolve6(hostname)];
  // Some name servers say nothing at all when they are asked for a kind that they don't have.
  const stopWaiting = () => setTimeout(() => resolver.cancel(), OTHER_KIND_MS).unref();
  Promise.any(kinds).then(stopWaiting, () => {});
  const [v4, v6] = await Promise.allSettled(kinds);
  const found = [...addressesOf(v4!, 4), ...addressesOf(v6!, 6)];
  if (found.length > 0) return found;
  // Another name for it may be known, and no address of that one.
  throw v4!.status === 'rejected' ? v4!.reason : new FetchRefused(UNKNOWN_NAME);
}

const addressesOf = (answer: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] =>
  answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];

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

/** Whether the operator allows a host by its name, wherever that leads. */
const isNamed = (hostname: string): boolean =>
  config().OUTBOUND_ALLOW.some((entry) => entry.toLowerCase() === hostname.toLowerCase());

/** Whether the operator allows an address, at any port. */
function isListed(address: string): boolean {
  const parsed = ipaddr.process(address);
  return config().OUTBOUND_ALLOW.some((entry) => {
    if (!ipaddr.isValid(entry) && !ipaddr.isValidCIDR(entry)) return false;
    const [range, bits] = entry.includes('/')
      ? ipaddr.parseCIDR(entry)
      : [ipaddr.process(entry), entry.includes(':') ? 128 : 32];
    return range.kind() === parsed.kind() && parsed.match([range, bits]);
  });
}

/** A request that could not be made, or an answer that was not understood, for a mistake of ours. */
const isOurs = (error: unknown): boolean =>
  (error as { code?: string }).code === 'UND_ERR_INVALID_ARG' ||
  error instanceof RangeError ||
  error instanceof TypeError;

const UNKNOWN_NAME = 'its host is not known';
/** That there is no such name, or none with an address; in the words of the system, and of name servers. */
const UNKNOWN_CODES = new Set(['ENOTFOUND', 'EAI_AGAIN', 'ENODATA', 'EBADNAME']);

/** Why something failed, in words that tell nothing of our own network. */
function reasonOf(error: unknown, signal: AbortSignal, { timeoutMs }: FetchOptions): string {
  const chain = [error, (error as { cause?: unknown }).cause];
  for (const one of chain) if (one instanceof FetchRefused) return one.message;
  if (signal.aborted) return `it took longer than ${timeoutMs / 1000} s`;
  const { code = '', syscall = '' } = error as NodeJS.ErrnoException;
  if (UNKNOWN_CODES.has(code)) return UNKNOWN_NAME;
  if (/^(query|getaddrinfo)/.test(syscall)) return 'its host could not be looked up';
  // Those of zlib, and of Brotli, whose names begin in more than one way.
  if (/^Z_|^ERR_\w*_ERROR_/.test(code)) return 'it is compressed, and damaged';
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) return 'its certificate is not valid';
  return 'its host does not answer';
}

import type { IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { FETCH_RULES, FetchRefused } from './fetch-refused.ts';
import { guardedLookup, readUrl } from './outbound-addresses.ts';
import { parseUrl } from './url.ts';

/*
 * All outbound HTTP requests. URLs come from untrusted callers, who could use this server to reach
 * internal hosts, such as databases or a cloud's metadata service (server-side request forgery).
 * Therefore the address itself is checked when connecting, after every name resolution and every
 * redirect, so a name that resolves differently a second later (DNS rebinding) has no effect.
 */

/** A response. */
export interface Fetched {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  /** URL of the response, after redirects. */
  url: string;
}

/** Limits and behavior of a request. */
export interface FetchOptions {
  /** Maximum size of the body, after decompression. */
  maxBytes: number;
  /** Handling of a larger body: `refuse` (the default) rejects it, `cut` truncates it. */
  overflow?: 'refuse' | 'cut' | undefined;
  /** Returns true if the body of a response is to be read; by default, every body is. */
  isWanted?: ((status: number, headers: Record<string, string>) => boolean) | undefined;
  /** Called with each piece of the body; returns true to stop reading. */
  isEnough?: ((piece: Buffer) => boolean) | undefined;
  /** True to accept compressed bodies. */
  compressed?: boolean | undefined;
  /**
   * True to reuse connections for further requests to the same origin; their address was checked
   * when they were opened. A connection whose response was not read to the end is closed.
   */
  keepAlive?: boolean | undefined;
  /** Timeout of the whole request: name resolution, redirects and body. */
  timeoutMs: number;
  /**
   * Time for the body after the headers, in ms, for callers that need the status alone. The
   * response then has the part of the body that arrived in time and undamaged.
   */
  bodyMs?: number | undefined;
  method?: 'GET' | 'HEAD' | 'POST' | undefined;
  headers?: Record<string, string> | undefined;
  body?: string | undefined;
  /** True to read no body. */
  headersOnly?: boolean | undefined;
  /**
   * Maximum number of redirects to follow, 3 by default. Only redirects of a GET are followed, and
   * other origins do not receive `headers`.
   */
  maxRedirects?: number | undefined;
}

const USER_AGENT = 'Mozilla/5.0 (compatible; shortlinks/1.0)';
const REDIRECTS = 3;
/** Timeout of a connection attempt, in ms. */
const CONNECT_MS = 10_000;
/**
 * Timeout of a connection attempt if there are several addresses, in ms. Node's default of 250 ms
 * is less than an intercontinental round trip.
 */
const ADDRESS_MS = 2_000;
/**
 * Number of bytes of a compressed body that may be read beyond the limit, about as much as is in
 * flight.
 */
const READ_AHEAD = 1024 * 1024;
/**
 * Connection pool per origin. Many servers close idle connections after 5 s. One origin may receive
 * many webhooks, some of which wait for a response and would block the others if there were fewer
 * connections.
 */
const POOL: Agent.Options = {
  connections: 600,
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 60_000,
};
/**
 * Fetches a URL from a public address.
 *
 * @throws FetchRefused when the address is private, or the answer is too large, too late or missing
 */
export async function guardedFetch(url: string, options: FetchOptions): Promise<Fetched> {
  // Checked before any allocation, because many refused URLs may arrive at once.
  const first = readUrl(url);
  const agent = options.keepAlive === true ? pooled() : newAgent({ pipelining: 0 });
  try {
    return await follow(first, options, agent);
  } catch (error) {
    if (error instanceof FetchRefused || isOurs(error)) throw error;
    throw new FetchRefused(reasonOf(error), { cause: error });
  } finally {
    if (agent !== pool) agent.destroy().catch(() => {});
  }
}

// One per process: requests of all callers share its connections.
let pool: Agent | undefined;

const pooled = (): Agent => (pool ??= newAgent(POOL));

function newAgent(options: Agent.Options): Agent {
  return new Agent({
    ...options,
    // This check includes the port, which the lookup function does not receive.
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

async function follow(first: URL, options: FetchOptions, agent: Agent): Promise<Fetched> {
  const { method = 'GET', headers = {}, body = null, timeoutMs } = options;
  const maxRedirects = method === 'GET' ? (options.maxRedirects ?? REDIRECTS) : 0;
  const startedAt = performance.now();
  let url = first;
  const { origin } = first;
  for (let redirects = 0; ; redirects += 1) {
    const request = {
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers: {
        'user-agent': USER_AGENT,
        'accept-encoding': options.compressed === true ? 'gzip, deflate, br' : 'identity',
        ...(url.origin === origin ? headers : {}),
      },
      body,
    };
    const leftMs = redirects === 0 ? timeoutMs : startedAt + timeoutMs - performance.now();
    const answer = await new Promise<Answer>((resolve, reject) => {
      const exchange = new Exchange(options, { resolve, reject, leftMs, maxRedirects });
      agent.dispatch(request, exchange);
    });
    if (answer.location === undefined) {
      return { status: answer.status, headers: answer.headers, body: answer.body, url: url.href };
    }
    if (redirects === maxRedirects) throw new FetchRefused(FETCH_RULES.redirects(maxRedirects));
    const next = parseUrl(answer.location, url);
    if (next === undefined) throw new FetchRefused(FETCH_RULES.redirectUrl);
    url = readUrl(next.href);
  }
}

/** A response, and the redirect target to follow, in which case the body is not read. */
interface Answer extends Omit<Fetched, 'url'> {
  location: string | undefined;
}

/** The rest of a request: who waits for the answer, and its limits. */
interface Then {
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
  /** Time left before the request fails, in ms. */
  leftMs: number;
  maxRedirects: number;
}

/**
 * One request and its response. Undici calls its methods directly; streams and abort signals would
 * double the cost of a request.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: FetchOptions;
  readonly #then: Then;
  #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  /** True once the promise is settled. */
  #isSettled = false;
  /** True once the whole response has arrived, so that its connection may be reused. */
  #isComplete = false;
  #status = 0;
  #headers: Record<string, string> = {};
  #location: string | undefined;
  #decompress: Duplex | undefined;
  /** Number of compressed body bytes received so far. */
  #received = 0;
  readonly #pieces: Buffer[] = [];
  #size = 0;

  constructor(options: FetchOptions, then: Then) {
    this.#options = options;
    this.#then = then;
    const isLate = () => this.#fail(new FetchRefused(FETCH_RULES.time(options.timeoutMs)));
    this.#timer = setTimeout(isLate, then.leftMs).unref();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The timeout was reached before there was a connection.
    if (this.#isSettled) controller.abort(new Error('settled'));
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (status < 200) return;
    const { headersOnly, isWanted, bodyMs } = this.#options;
    this.#status = status;
    this.#headers = plainHeaders(headers);
    if (bodyMs !== undefined) this.#limitBody(bodyMs);
    const { location } = headers;
    const isFollowed = status >= 300 && status < 400 && this.#then.maxRedirects > 0;
    // Undici returns an array for a header that occurs twice.
    if (isFollowed && typeof location === 'string') this.#location = location;
    if (
      this.#location === undefined &&
      headersOnly !== true &&
      isWanted?.(status, this.#headers) !== false
    ) {
      this.#decompress = this.#decompressor();
    } else this.#finish();
  }

  #limitBody(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#finish(), ms).unref();
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    if (this.#isSettled) return;
    if (this.#decompress === undefined) {
      this.#take(piece);
      return;
    }
    // The decompressed size is checked later. A compressed body can decompress to nothing and never
    // end.
    this.#received += piece.length;
    const { maxBytes } = this.#options;
    if (this.#received > maxBytes + READ_AHEAD) this.#fail(tooLarge(maxBytes));
    else if (!this.#decompress.write(piece)) controller.pause();
  }

  onResponseEnd(): void {
    this.#isComplete = true;
    if (this.#decompress === undefined) this.#finish();
    else if (!this.#isSettled) this.#decompress.end();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  /**
   * Creates a stream that decompresses the body; `undefined` if it is not compressed.
   *
   * @throws FetchRefused for an encoding that was not accepted
   */
  #decompressor(): Duplex | undefined {
    const encoding = (this.#headers['content-encoding'] ?? 'identity').trim().toLowerCase();
    // A response without a body may have a Content-Encoding.
    const isEmpty = this.#status === 204 || this.#headers['content-length'] === '0';
    if (isEmpty || encoding === 'identity' || encoding === '') return undefined;
    const open = this.#options.compressed === true ? DECOMPRESS.get(encoding) : undefined;
    if (open === undefined) throw new FetchRefused(FETCH_RULES.encoding);
    return open()
      .on('data', (piece: Buffer) => this.#take(piece))
      .on('drain', () => this.#controller?.resume())
      .on('end', () => this.#finish())
      .on('error', (error) => this.#fail(error));
  }

  #take(piece: Buffer): void {
    if (this.#isSettled) return;
    const { maxBytes, overflow = 'refuse', isEnough } = this.#options;
    this.#size += piece.length;
    if (this.#size > maxBytes && overflow === 'refuse') {
      this.#fail(tooLarge(maxBytes));
      return;
    }
    this.#pieces.push(piece);
    try {
      const isCut = overflow === 'cut' && this.#size >= maxBytes;
      if (isCut || isEnough?.(piece) === true) this.#finish();
    } catch (error) {
      this.#fail(error);
    }
  }

  #finish(): void {
    if (this.#isSettled) return;
    const body = Buffer.concat(this.#pieces);
    this.#then.resolve({
      status: this.#status,
      headers: this.#headers,
      body: body.length > this.#options.maxBytes ? body.subarray(0, this.#options.maxBytes) : body,
      location: this.#location,
    });
    this.#settle();
  }

  #fail(error: unknown): void {
    if (this.#isSettled) return;
    if (this.#status > 0 && this.#options.bodyMs !== undefined && !isOurs(error)) {
      this.#finish();
      return;
    }
    this.#then.reject(error);
    this.#settle();
  }

  #settle(): void {
    this.#isSettled = true;
    clearTimeout(this.#timer);
    this.#decompress?.destroy();
    // The rest of the response may have arrived already and be waiting in the parser.
    if (!this.#isComplete) queueMicrotask(() => this.#abortUnlessComplete());
  }

  #abortUnlessComplete(): void {
    if (!this.#isComplete) this.#controller?.abort(new Error('settled'));
  }
}

const DECOMPRESS = new Map<string, () => Duplex>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

const tooLarge = (maxBytes: number): FetchRefused => new FetchRefused(FETCH_RULES.size(maxBytes));

function plainHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, String(value ?? '')]),
  );
}

/**
 * Returns true for an error of this code: a malformed request, or a response that was processed
 * incorrectly.
 */
const isOurs = (error: unknown): boolean =>
  (error as { code?: string }).code === 'UND_ERR_INVALID_ARG' ||
  error instanceof RangeError ||
  error instanceof TypeError;

/**
 * Error codes of the system and of name servers for a name that does not exist or has no address.
 */
const UNKNOWN_CODES = new Set(['ENOTFOUND', 'EAI_AGAIN', 'ENODATA', 'EBADNAME']);

/** Returns the rule that a failure violates, without details of the internal network. */
function reasonOf(error: unknown): string {
  const chain = [error, (error as { cause?: unknown }).cause];
  for (const cause of chain) if (cause instanceof FetchRefused) return cause.message;
  const { code = '', syscall = '' } = error as NodeJS.ErrnoException;
  if (UNKNOWN_CODES.has(code)) return FETCH_RULES.knownHost;
  if (/^(query|getaddrinfo)/.test(syscall)) return FETCH_RULES.resolvableHost;
  // Error codes of zlib and Brotli.
  if (/^Z_|^ERR_\w*_ERROR_/.test(code)) return FETCH_RULES.undamaged;
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) return FETCH_RULES.certificate;
  return FETCH_RULES.responds;
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { Log } from '../infra/log.ts';
import { redirects } from '../infra/metrics.ts';
import { type Check, healthAnswer } from '../infra/process.ts';
import { Tally } from '../infra/tally.ts';
import { type Finder, type Found, Unavailable } from '../lookup/find.ts';
import type { Visit } from '../queues/clicks.ts';
import { type Address, filePath, readAddress } from './address.ts';
import { type Decision, decideLink, decideRoot } from './decide.ts';
import { badRequestPage } from './html/bad-request.ts';
import { displayPage, fileAnswer } from './html/display.ts';
import { expiredPage } from './html/expired.ts';
import type { Page } from './html/layout.ts';
import { methodNotAllowedPage } from './html/method-not-allowed.ts';
import { notFoundPage } from './html/not-found.ts';
import { protectedPage } from './html/protected.ts';
import { unavailablePage } from './html/unavailable.ts';
import type { VisitLog } from './visit-log.ts';
import type { Visitor, VisitorReader } from './visitor.ts';

/** Longer than load balancers keep an idle connection, so that it is they who close it. */
const KEEP_ALIVE_MS = 75_000;
const HEADERS_MS = 20_000;

const PAGES = { notFound: notFoundPage, expired: expiredPage, protected: protectedPage };

const answered = {
  redirect: new Tally(redirects.labels('redirect')),
  notFound: redirects.labels('not_found'),
  expired: redirects.labels('expired'),
  protected: redirects.labels('protected'),
  display: redirects.labels('display'),
  file: redirects.labels('file'),
  refused: redirects.labels('refused'),
  unavailable: redirects.labels('unavailable'),
};

/** What the redirect server works with. */
export interface ServerMeans {
  finder: Finder;
  visitors: VisitorReader;
  visits: VisitLog;
  /** Unique to this process and start: the beginning of the ids of its visits. */
  instance: string;
  /** Behind `/readyz`. */
  checks: Record<string, Check>;
  log: Log;
}

/** One visit, step by step: address, visitor, look-up, decision, record, answer. */
export class RedirectServer {
  readonly #means: ServerMeans;
  readonly #http: Server;
  #visitCount = 0;

  constructor(means: ServerMeans) {
    this.#means = means;
    this.#http = createServer({
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: HEADERS_MS,
      requestTimeout: HEADERS_MS,
    });
    this.#http.on('request', (request, response) => {
      try {
        this.#handle(request, response);
      } catch (error) {
        this.#fail(response, error);
      }
    });
    this.#http.on('clientError', answerMalformed);
  }

  /** The port it listens on. Rejects with the error of the socket. */
  async listen(port: number, host: string): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#http.once('error', reject);
      this.#http.listen(port, host, resolve);
    });
    const address = this.#http.address();
    return typeof address === 'object' && address !== null ? address.port : port;
  }

  /** Accepts nothing new and resolves when every request in hand is answered. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    // Connections become idle one by one, when their request is answered.
    const sweep = setInterval(() => this.#http.closeIdleConnections(), 20);
    this.#http.closeIdleConnections();
    await closed;
    clearInterval(sweep);
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      answered.refused.inc();
      return sendPage(response, methodNotAllowedPage);
    }
    const address = readAddress(request.url ?? '/');
    if (address === undefined) {
      answered.refused.inc();
      return sendPage(response, badRequestPage);
    }
    const visitor = this.#means.visitors.read(request);
    if (address.key === 'healthz' || address.key === 'readyz') {
      // Load balancers ask for the address; under a name these are keys like any other.
      if (isIP(visitor.host) !== 0) return this.#answerHealth(address.key, response);
    }
    if (address.key === null || visitor.host === '') {
      answered.notFound.inc();
      return sendPage(response, notFoundPage);
    }
    const near = this.#means.finder.near(visitor.host, address.key);
    if (near !== undefined) return this.#answer(near, address, visitor, request, response);
    this.#means.finder.find(visitor.host, address.key).then(
      (found) => this.#answer(found, address, visitor, request, response),
      (error: unknown) => this.#fail(response, error),
    );
  }

  #answer(
    found: Found | null,
    { key, query, isFile }: Address,
    visitor: Visitor,
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    const now = Date.now();
    const decision = decide(found, key, query, now);
    if (decision.kind === 'page') {
      answered[decision.reason].inc();
      return sendPage(response, PAGES[decision.reason]);
    }
    if (isFile) return sendFile(response, decision);
    const { visited, destination, via } = decision;
    if (visited === undefined || visitor.isAutomatic || request.method === 'HEAD') {
      return send(response, decision, key ?? '');
    }
    this.#visitCount += 1;
    const visit: Visit = {
      id: this.#means.instance + this.#visitCount.toString(36),
      at: now,
      projectId: visited.projectId,
      linkId: visited.linkId,
      domain: visitor.host,
      key: key === '' || key === null ? '_root' : key,
      destination,
      ip: visitor.ip,
      userAgent: visitor.userAgent,
      referer: visitor.referer,
      via,
    };
    this.#means.visits.record(visit).then(
      () => send(response, decision, key ?? ''),
      (error: unknown) => this.#fail(response, error),
    );
  }

  #answerHealth(name: string, response: ServerResponse): void {
    healthAnswer(`/${name}`, this.#means.checks).then(
      (health) => {
        const body = JSON.stringify(health?.body);
        response.writeHead(health?.status ?? 404, { 'content-type': 'application/json' }).end(body);
      },
      (error: unknown) => this.#fail(response, error),
    );
  }

  #fail(response: ServerResponse, error: unknown): void {
    answered.unavailable.inc();
    if (!(error instanceof Unavailable)) this.#means.log.error({ err: error }, 'a visit failed');
    if (response.headersSent) response.destroy();
    else sendPage(response, unavailablePage);
  }
}

function decide(found: Found | null, key: string | null, query: string, now: number): Decision {
  if (found === null) return { kind: 'page', reason: 'notFound' };
  return key === ''
    ? decideRoot(found.domain, query)
    : decideLink(found.link, found.domain, query, now);
}

/** What the visitor came for. */
function send(
  response: ServerResponse,
  decision: Exclude<Decision, { kind: 'page' }>,
  key: string,
): void {
  if (decision.kind === 'redirect') return sendRedirect(response, decision.destination);
  answered.display.inc();
  const { page, destination } = decision;
  const fileHref = filePath(key);
  sendPage(response, displayPage(page, { shortLink: destination, fileHref }));
}

/** The file of a display page. Whoever opens it has seen the page: it is no visit. */
function sendFile(response: ServerResponse, decision: Exclude<Decision, { kind: 'page' }>): void {
  const file = decision.kind === 'display' ? decision.page.file : undefined;
  if (file === undefined) {
    answered.notFound.inc();
    return sendPage(response, notFoundPage);
  }
  answered.file.inc();
  sendPage(response, fileAnswer(file));
}

function sendRedirect(response: ServerResponse, destination: string): void {
  answered.redirect.add();
  let headers = redirectHeaders(destination);
  try {
    response.writeHead(302, headers);
  } catch {
    // No header may hold it. Writers store encoded URLs, so this is a row of another time.
    headers = redirectHeaders(asciiUrl(destination));
    response.writeHead(302, headers);
  }
  response.end();
}

// Flat, because node copies an object into such a list first.
function redirectHeaders(location: string): string[] {
  return ['Location', location, 'Cache-Control', 'private, no-store', 'Content-Length', '0'];
}

/** Percent-encodes what a header cannot hold and leaves everything else alone. */
export function asciiUrl(url: string): string {
  let text = '';
  for (const byte of Buffer.from(url)) {
    const isPlain = byte > 0x20 && byte < 0x7f;
    text += isPlain
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return text;
}

function sendPage(response: ServerResponse, { status, headers, body }: Page): void {
  response.writeHead(status, headers as string[]).end(body);
}

/** Node could not read a request. There is no response object yet: the socket is all there is. */
function answerMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? '431 Request Header Fields Too Large'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? '408 Request Timeout'
        : '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { Log } from '../infra/log.ts';
import { redirects } from '../infra/metrics.ts';
import { type Check, healthAnswer } from '../infra/process.ts';
import { type Found, Unavailable } from '../lookup/find.ts';
import { type Address, readAddress } from './address.ts';
import { BadForm, readForm } from './form.ts';
import { badRequestPage } from './html/bad-request.ts';
import { methodNotAllowedPage } from './html/method-not-allowed.ts';
import { notFoundPage } from './html/not-found.ts';
import { tooMuchPage } from './html/too-much.ts';
import { unavailablePage } from './html/unavailable.ts';
import { sendPage, sendText } from './send.ts';
import { isPlain, serveInFull, servePlain, takesForms } from './visit.ts';
import type { VisitMeans } from './visiting.ts';
import type { Visitor, VisitorReader } from './visitor.ts';

/** Longer than load balancers keep an idle connection, so that it is they who close it. */
const KEEP_ALIVE_MS = 75_000;
const HEADERS_MS = 20_000;

const answered = {
  file: redirects.labels('file'),
  notFound: redirects.labels('not_found'),
  refused: redirects.labels('refused'),
  unavailable: redirects.labels('unavailable'),
};

/** What the redirect server works with. */
export interface ServerMeans extends VisitMeans {
  visitors: VisitorReader;
  /** Behind `/readyz`. */
  checks: Record<string, Check>;
  log: Log;
}

/** Takes requests, and hands those for links on to `visit.ts` with what was found under their key. */
export class RedirectServer {
  readonly #means: ServerMeans;
  readonly #http: Server;

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
    const { method } = request;
    const visitor = this.#means.visitors.read(request);
    if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') {
      answered.refused.inc();
      return sendPage(response, methodNotAllowedPage(visitor.pageLanguage));
    }
    const address = readAddress(request.url ?? '/');
    if (address === undefined) {
      answered.refused.inc();
      return sendPage(response, badRequestPage(visitor.pageLanguage));
    }
    const { key } = address;
    if (key === 'healthz' || key === 'readyz') {
      // Load balancers ask for the address; under a name these are keys like any other.
      if (isIP(visitor.host) !== 0) return this.#answerHealth(key, response);
    }
    if (key === null || visitor.host === '') {
      this.#answerOwn(address, visitor, request, response).catch((error: unknown) =>
        this.#fail(response, error),
      );
      return;
    }
    const near = this.#means.finder.near(visitor.host, key);
    if (near !== undefined && method !== 'POST' && isPlain(near.link, address)) {
      servePlain(near, { address, visitor, request, response }, this.#means).catch(
        (error: unknown) => this.#fail(response, error),
      );
      return;
    }
    this.#serve(near, address, visitor, request, response).catch((error: unknown) =>
      this.#fail(response, error),
    );
  }

  async #serve(
    near: Found | undefined,
    address: Address,
    visitor: Visitor,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const found = near ?? (await this.#means.finder.find(visitor.host, address.key!));
    if (found === null) {
      answered.notFound.inc();
      return sendPage(response, notFoundPage(visitor.pageLanguage));
    }
    const isForm = request.method === 'POST';
    if (isForm && !takesForms(found.link, address)) {
      answered.refused.inc();
      return sendPage(response, methodNotAllowedPage(visitor.pageLanguage));
    }
    const form = isForm ? await readForm(request) : undefined;
    const visit = { address, visitor, request, response, ...(form === undefined ? {} : { form }) };
    return serveInFull(found, visit, this.#means);
  }

  /** What no link can be: files that every site has, and what proxies ask. */
  async #answerOwn(
    { query }: Address,
    visitor: Visitor,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const [path] = (request.url ?? '/').split('?');
    if (path === '/_/domains/ask') {
      const domain = new URLSearchParams(query).get('domain')?.toLowerCase() ?? '';
      const isOurs = domain !== '' && (await this.#means.finder.find(domain, '')) !== null;
      answered.file.inc();
      return sendText(response, isOurs ? 200 : 404, isOurs ? 'yes\n' : 'no\n');
    }
    if (path === '/favicon.ico') {
      answered.file.inc();
      response.writeHead(204, ['Cache-Control', 'public, max-age=86400']).end();
      return;
    }
    if (path === '/robots.txt' && (await this.#means.finder.find(visitor.host, '')) !== null) {
      answered.file.inc();
      return sendText(response, 200, ROBOTS);
    }
    answered.notFound.inc();
    sendPage(response, notFoundPage(visitor.pageLanguage));
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
    if (error instanceof BadForm && !response.headersSent) {
      answered.refused.inc();
      const page = error.status === 413 ? tooMuchPage : badRequestPage;
      return sendPage(response, page('en'));
    }
    answered.unavailable.inc();
    if (!(error instanceof Unavailable)) this.#means.log.error({ err: error }, 'a visit failed');
    if (response.headersSent) response.destroy();
    else sendPage(response, unavailablePage('en'));
  }
}

// Whether a link may be shown by search engines is said in each answer, so they must be let in to read it.
const ROBOTS = 'User-agent: *\nDisallow: /_/\n';

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

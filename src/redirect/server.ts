import { createServer, type IncomingMessage, type Server } from 'node:http';
import { isIP } from 'node:net';
import { endServer } from '../infra/end-server.ts';
import { isMeantAsGs1 } from '../infra/gs1/digital-link.ts';
import { KEEP_ALIVE_MS, listen } from '../infra/listen.ts';
import { refusals } from '../infra/malformed-requests.ts';
import { redirects } from '../infra/metrics.ts';
import { PlainRequests, type RequestHead, type Response } from '../infra/plain-requests.ts';
import { lastAnswer, sendPage, sendText } from '../infra/plain-responses.ts';
import { type Check, healthAnswer } from '../infra/process.ts';
import { startSpan } from '../infra/tracing.ts';
import type { Entries, LinkEntry, ServiceEntry } from '../lookup/entry.ts';
import {
  type Decision,
  decide,
  decideBlocked,
  decideForOffice,
  decideUsedUp,
} from '../routing/decide.ts';
import {
  type Address,
  addressOf,
  canBeLink,
  encodedPath,
  isAmbiguous,
  readAddress,
  readShlinkPath,
  requestedKeys,
  sentPath,
} from './address.ts';
import {
  clickIdOf,
  type Exchange,
  gatherFacts,
  isCounted,
  isPlain,
  RequestFacts,
  type VisitContext,
  type VisitDependencies,
  type VisitRequest,
} from './facts.ts';
import { optionsAnswer } from './linkset.ts';
import { answerOwn } from './own-answers.ts';
import { BadForm, readForm } from './pages/form.ts';
import {
  badRequestPage,
  methodNotAllowedPage,
  notFoundPage,
  prefetchPage,
  tooMuchPage,
  unavailablePage,
} from './pages/notices.ts';
import type { Reports } from './reports.ts';
import { redirectTo, respond } from './respond.ts';
import type { Visitor, VisitorReader } from './visitor.ts';

const HEADERS_MS = 20_000;
/** Interval of the check for requests that take too long to arrive, in ms. */
const CHECK_MS = 1_000;
/** Maximum size of the request line and all headers. */
const HEADER_BYTES = 64 * 1024;
/** Time for which connections stay open for responses when the server stops, in ms. */
const CUT_MS = 6_000;

const answered = {
  notFound: redirects.labels('not_found'),
  prefetch: redirects.labels('prefetch'),
  refused: redirects.labels('refused'),
  unavailable: redirects.labels('unavailable'),
};

/** The parts of the process that requests depend on. */
export interface ServerDependencies extends VisitDependencies {
  visitors: VisitorReader;
  reports: Reports;
  /** Checks behind `/readyz`, and further fields of its answer. */
  checks: Record<string, Check>;
  notes(): object;
}

/**
 * Serves requests: finds the entries of host and key, gathers facts, decides once, and carries the
 * decision out. Most links need no facts beyond the request and take the short path.
 */
export class RedirectServer {
  readonly #dependencies: ServerDependencies;
  readonly #http: Server;
  #plain: PlainRequests | undefined;
  #isTraced = false;

  constructor(dependencies: ServerDependencies) {
    this.#dependencies = dependencies;
    this.#http = createServer({
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: HEADERS_MS,
      requestTimeout: HEADERS_MS,
      connectionsCheckingInterval: CHECK_MS,
      maxHeaderSize: HEADER_BYTES,
      // Node answers a request without `Host` with an empty body.
      requireHostHeader: false,
    });
    // Node caches the address on the first read; after a reset it is no longer available.
    this.#http.on('connection', (socket) => void socket.remoteAddress);
    this.#http.on('request', (request, response) => this.#answer(request, response, request));
    // An expectation other than 100-continue may be ignored (RFC 9110, 10.1.1); Node's own answer
    // has an empty body.
    this.#http.on('checkExpectation', (request, response) =>
      this.#http.emit('request', request, response),
    );
    const refuse = refusals(this.#http);
    this.#http.on('clientError', (error: MalformedError, socket) => {
      if (error.code === 'ECONNRESET') socket.destroy();
      else refuse(socket, answerTo(error));
    });
  }

  /** The port that the server listens on. */
  async listen(port: number, host: string): Promise<number> {
    if (!this.#isTraced) {
      const limits = { headersMs: HEADERS_MS, keepAliveMs: KEEP_ALIVE_MS };
      this.#plain = new PlainRequests(this.#http, limits, (request, response) =>
        this.#answer(request, response),
      );
    }
    await listen(this.#http, 'REDIRECT_PORT', port, host);
    const address = this.#http.address();
    return typeof address === 'object' && address !== null ? address.port : port;
  }

  /**
   * Records a span for one in `many` requests, all of which node:http then parses. Called before
   * {@link listen}.
   */
  traceOneOf(many: number): void {
    this.#isTraced = true;
    let at = 0;
    this.#http.prependListener('request', ({ method = '' }, response) => {
      at = (at + 1) % many;
      if (at !== 1 % many) return;
      const attributes = { 'http.request.method': method };
      const span = startSpan(`${method} redirect`, { kind: 'server', attributes });
      response.once('close', () => {
        const { statusCode } = response;
        span?.end({
          attributes: { 'http.response.status_code': statusCode },
          isFailed: statusCode >= 500,
        });
      });
    });
  }

  /** Stops accepting requests, and resolves once all pending ones are answered. */
  async close(): Promise<void> {
    this.#plain?.close(CUT_MS);
    await endServer(this.#http, CUT_MS);
  }

  /**
   * @param message the request, if node:http has parsed it; only then can it have a body or name
   *   its host twice
   */
  #answer(request: RequestHead, response: Response, message?: IncomingMessage): void {
    try {
      this.#handle(request, response, message);
    } catch (error) {
      this.#fail(response, error);
    }
  }

  #handle(request: RequestHead, response: Response, message: IncomingMessage | undefined): void {
    const { method } = request;
    const visitor = this.#dependencies.visitors.read(request);
    if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') {
      if (method === 'OPTIONS' && isMeantAsGs1(sentPath(request.url ?? '/'))) {
        return sendPage(response, optionsAnswer());
      }
      answered.refused.inc();
      return sendPage(response, methodNotAllowedPage(visitor.pageLanguage));
    }
    const address =
      message !== undefined && isAmbiguous(message, visitor.host)
        ? undefined
        : readAddress(request.url ?? '/');
    if (address === undefined) {
      answered.refused.inc();
      return sendPage(response, badRequestPage(visitor.pageLanguage));
    }
    const { key } = address;
    if (key === 'healthz' || key === 'readyz') {
      // Load balancers request the IP address; under a host name these paths are ordinary keys.
      if (isIP(visitor.host) !== 0) return this.#answerHealth(key, response);
    }
    if (visitor.host === '' || (key === null && !canBeLink(address, request.url ?? '/'))) {
      answerOwn(address, visitor, { request, response, message }, this.#dependencies).catch(
        (error: unknown) => this.#fail(response, error),
      );
      return;
    }
    if (visitor.traffic.class === 'prefetch' && method !== 'POST') {
      answered.prefetch.inc();
      return sendPage(response, prefetchPage(visitor.pageLanguage));
    }
    const near = key === null ? undefined : this.#dependencies.finder.near(visitor.host, key);
    const service = this.#dependencies.finder.nearService();
    if (
      near !== undefined &&
      service !== undefined &&
      method !== 'POST' &&
      isPlain(near, address, service, request)
    ) {
      const visit = { address: addressOf(address, near), visitor, request, response };
      return this.#servePlain(near, visit, service);
    }
    this.#serve(near, address, visitor, { request, response, message }).catch((error: unknown) =>
      this.#fail(response, error),
    );
  }

  async #serve(
    near: Entries | undefined,
    target: Address,
    visitor: Visitor,
    { request, response, message }: Exchange,
  ): Promise<void> {
    const found =
      near ??
      (await this.#dependencies.finder.find(
        visitor.host,
        requestedKeys(target, request.url ?? '/'),
      ));
    const shlinkPath = isShlinkPath(found) ? readShlinkPath(target) : undefined;
    const entries =
      shlinkPath === undefined
        ? found
        : await this.#dependencies.finder.find(visitor.host, { key: shlinkPath.key });
    if (entries === null) {
      answered.notFound.inc();
      return sendPage(response, notFoundPage(visitor.pageLanguage));
    }
    const address = addressOf(shlinkPath ?? target, entries);
    visitor.host = entries.domainName ?? visitor.host;
    const isForm = request.method === 'POST';
    if (isForm && !takesForms(entries.link, address)) {
      answered.refused.inc();
      return sendPage(response, methodNotAllowedPage(visitor.pageLanguage));
    }
    const form = isForm ? await readForm(message!) : undefined;
    const visit = { address, visitor, request, response, ...(form === undefined ? {} : { form }) };
    const service = await this.#dependencies.finder.service();
    const context = await gatherFacts(entries, visit, service, this.#dependencies);
    const decided = decideBlocked(decide(entries, context.facts), entries.link, service);
    // The destination after the last visit may be blocked too.
    const limited = await this.#applyLimit(decided, context);
    const allowed = decideBlocked(limited, entries.link, service);
    return respond(decideForOffice(allowed, context.facts), context, this.#dependencies);
  }

  /** Serves a link that {@link isPlain}. */
  #servePlain(entries: Entries, visit: VisitRequest, service: ServiceEntry): void {
    const facts = new RequestFacts(visit, Date.now());
    const decided = decideBlocked(decide(entries, facts), entries.link, service);
    const decision = decideForOffice(decided, facts);
    const visitId = this.#dependencies.nextVisitId();
    if (decision.kind === 'redirect') {
      return redirectTo(decision, visit, { visitId, now: facts.now, entries }, this.#dependencies);
    }
    const context = { ...visit, entries, facts, visitId, dedupeSeconds: 0 };
    respond(decision, context, this.#dependencies).catch((error: unknown) =>
      this.#fail(visit.response, error),
    );
  }

  /**
   * Takes one of a link's limited visits, if the decision is a visit. If none is left, decides
   * again.
   */
  async #applyLimit(decision: Decision, context: VisitContext): Promise<Decision> {
    const { facts, dedupeSeconds, entries } = context;
    const { link, domain } = entries;
    const isOther = facts.asks === 'stats' || facts.asks === 'qrCode';
    if (link?.maxVisits === undefined || isOther || decision.kind === 'restart') return decision;
    const { quota } = this.#dependencies;
    const isVisit = 'visited' in decision && decision.kind !== 'before' && isCounted(context);
    const isLeft = isVisit
      ? await quota.take(link, clickIdOf(context), dedupeSeconds)
      : !(await quota.isUsedUp(link));
    return isLeft ? decision : decideUsedUp(decision, link, domain);
  }

  #answerHealth(name: string, response: Response): void {
    healthAnswer(`/${name}`, this.#dependencies.checks, { notes: this.#dependencies.notes }).then(
      (health) => {
        const body = JSON.stringify(health?.body);
        if (health?.status === 503)
          this.#dependencies.errors.report(new Error(`not ready: ${body}`));
        sendText(response, health?.status ?? 404, body ?? '', 'application/json');
      },
      (error: unknown) => this.#fail(response, error),
    );
  }

  #fail(response: Response, error: unknown): void {
    if (error instanceof BadForm && !response.headersSent) {
      answered.refused.inc();
      const page = error.status === 413 ? tooMuchPage : badRequestPage;
      return sendPage(response, page('en'));
    }
    answered.unavailable.inc();
    this.#dependencies.errors.report(error);
    if (response.headersSent) response.destroy();
    else sendPage(response, unavailablePage('en'));
  }
}

/** True when the domain has Shlink's paths, and no link has exactly the requested one. */
const isShlinkPath = (found: Entries | null): boolean =>
  found?.domain.hasShlinkPaths === true && (found.link === null || found.prefix !== undefined);

/** True when a link accepts forms: its password, or the form of the page before it. */
function takesForms(link: LinkEntry | null, { asks }: Address): boolean {
  if (asks === 'qrCode' || asks === 'track') return false;
  return asks === 'continue' ? link?.before !== undefined : link?.passwordHash !== undefined;
}

type MalformedError = NodeJS.ErrnoException & { rawPacket?: Buffer };

/** Answers a request that Node could not parse. There is only a socket, no response object. */
function answerTo(error: MalformedError): Buffer {
  answered.refused.inc();
  const path = error.code === 'HPE_INVALID_URL' ? encodedPath(error.rawPacket) : undefined;
  if (path !== undefined) return lastAnswer(302, ['Location', path, 'Content-Length', '0']);
  const { headers, body } = badRequestPage('en');
  return lastAnswer(error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400, headers, body);
}

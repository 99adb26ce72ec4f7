import { randomUUID } from 'node:crypto';
import compression from 'compression';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { config } from '../config.ts';
import { readOpenApi } from '../docs/openapi-file.ts';
import { Refusal } from '../errors.ts';
import { answerError, RETRY_S } from '../http/answer-error.ts';
import { ClientGone, hasBody, MEBIBYTE, readBody } from '../http/input.ts';
import type { Connection, Route } from '../http/route.ts';
import { receiveUpload } from '../http/upload.ts';
import { NoConnection } from '../infra/db.ts';
import type { Log } from '../infra/log.ts';
import { httpRequests } from '../infra/metrics.ts';
import { networkOf } from '../infra/network.ts';
import { isDataError } from '../infra/outage.ts';
import { healthAnswer } from '../infra/process.ts';
import { readLagging } from '../infra/standbys.ts';
import { startSpan, withinSpan } from '../infra/tracing.ts';
import { TrustedProxies } from '../infra/trusted-proxies.ts';
import { statsAnswer } from '../public-stats/page.ts';
import { languageOf } from '../web/language.ts';
import { Admission } from './admission.ts';
import { type ErrorAnswer, serveCompat } from './compat.ts';
import { consoleHandler } from './console.ts';
import { allowOrigin, patternOf, serveOptions } from './cors.ts';
import { serveDocs } from './docs.ts';
import { HeavyRequests } from './heavy-requests.ts';
import { serveMcp } from './mcp/serve.ts';
import { serveOauth } from './oauth/serve.ts';
import { servePageScript } from './page-script.ts';
import { servePaymentDeliveries } from './payment-deliveries.ts';
import {
  type ApiDependencies,
  clientOf,
  type Perform,
  performer,
  queryOf,
  send,
  sendPage,
} from './perform.ts';
import { refusalOf } from './refusal-of.ts';
import { settleTarget } from './request-target.ts';
import { routes } from './routes.ts';
import { serveSharedReports } from './shared-reports.ts';
import { serveSubscriptions } from './subscriptions.ts';
import { serveUnsubscribe } from './unsubscribe.ts';
import { serveWellKnown } from './well-known.ts';

/** Creates the Express application: the middleware in order, then the routes of every folder. */
export function makeApp(dependencies: ApiDependencies): Express {
  const app = express();
  const admission = new Admission(dependencies.redis);
  const heavy = new HeavyRequests(config().DATABASE_POOL);
  const perform = performer(heavy);
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.set('query parser', false);
  setAddresses(app, new TrustedProxies(config().TRUST_PROXY, config().PROXY_HEADER));

  app.use(identify(dependencies.log));
  app.use(compression({ threshold: COMPRESSED_FROM, filter: isCompressed }));
  app.get(['/healthz', '/readyz'], async (request, response) => {
    allowOrigin(request, response, true);
    const health = await healthAnswer(request.path, dependencies.checks, { log: dependencies.log });
    response.status(health?.status ?? 404).json(health?.body);
  });
  app.get('/openapi.json', (request, response) => {
    allowOrigin(request, response, true);
    response.json(readOpenApi(config()));
  });
  serveDocs(app, admission);
  serveWellKnown(app);
  servePageScript(app);
  app.get(['/console', '/console/*path'], consoleHandler());
  app.get('/stats/:domain/*key', showStatistics(admission));
  serveSharedReports(app, { ...dependencies, admission, heavy });
  serveSubscriptions(app, admission, dependencies.queues);
  serveUnsubscribe(app, admission, dependencies.queues);
  servePaymentDeliveries(app, admission, dependencies.queues);
  for (const route of routes)
    app[route.method](patternOf(route.path), handle(route, dependencies, admission, perform));
  serveOptions(app, routes);
  serveCompat(app, { ...dependencies, admission, perform });
  serveMcp(app, { ...dependencies, admission, perform });
  serveOauth(app, { ...dependencies, admission, perform });
  app.use((request: Request) => {
    throw new Refusal('not_found', `There is no ${request.method} ${request.path}`);
  });
  app.use(refuse(dependencies.log));
  return app;
}

/** Makes `request.ip` the address that the redirect process reads from the same request. */
function setAddresses({ request }: Express, proxies: TrustedProxies): void {
  Object.defineProperty(request, 'ip', {
    get(this: Request) {
      return proxies.clientAddress(this);
    },
  });
}

/** Minimum size of an answer that is compressed, in bytes. */
const COMPRESSED_FROM = 1_024;
/** Images are already compressed or, as SVG, small. */
const isCompressed = (_request: unknown, response: Response) =>
  /^(?:application\/(?:json|x-ndjson)|text\/(?:csv|html|markdown|plain))(?:;|$)/.test(
    String(response.get('content-type')),
  );

const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** Assigns an id and a span to the request, and logs and counts it once it has been answered. */
function identify(log: Log) {
  return (request: Request, response: Response, next: NextFunction) => {
    const requestedId = request.get('x-request-id');
    const requestId =
      requestedId !== undefined && REQUEST_ID.test(requestedId) ? requestedId : randomUUID();
    response.locals['requestId'] = requestId;
    response.set('X-Request-Id', requestId);
    response.set('Cache-Control', 'no-store');
    const began = process.hrtime.bigint();
    const span = startSpan(request.method, {
      kind: 'server',
      parent: request.get('traceparent'),
      attributes: { 'http.request.method': request.method, 'shortlinks.request.id': requestId },
    });
    response.once('close', () => {
      const { statusCode: status, locals } = response;
      const route = String(locals['route'] ?? 'none');
      span?.end({
        name: `${request.method} ${route}`,
        attributes: { 'http.route': route, 'http.response.status_code': status },
        isFailed: status >= 500,
      });
    });
    response.on('finish', () => {
      const seconds = Number(process.hrtime.bigint() - began) / 1e9;
      const route = String(response.locals['route'] ?? 'none');
      const { statusCode: status } = response;
      httpRequests.observe({ method: request.method, route, status }, seconds);
      const { projectId } = response.locals;
      log.info(
        { requestId, method: request.method, route, status, ms: seconds * 1000, projectId },
        'request',
      );
    });
    settleTarget(request);
    allowOrigin(request, response, false);
    withinSpan(span, next);
  };
}

/** Serves the public statistics of links, with a limit per network. */
function showStatistics(admission: Admission) {
  return async (request: Request<{ domain: string; key: string[] }>, response: Response) => {
    response.locals['route'] = '/stats';
    allowOrigin(request, response, true);
    await admission.takePublic(networkOf(request.ip ?? ''), response);
    const { domain, key } = request.params;
    const peerRequest = {
      domain,
      key: key.join('/'),
      query: new URL(request.url, 'http://localhost').searchParams,
      language: languageOf(request.get('accept-language') ?? ''),
    };
    const page = await readLagging(undefined, () => statsAnswer(peerRequest));
    sendPage(page, response);
  };
}

function handle(
  route: Route,
  { queues, log }: ApiDependencies,
  admission: Admission,
  perform: Perform,
) {
  const connectionOf = (request: Request, response: Response): Connection => ({
    lastEventId: request.get('last-event-id'),
    onClose(act) {
      if (response.closed) act();
      else response.once('close', act);
    },
    cut: () => response.destroy(),
    checkCaller: () => admission.check(route, queues, request),
    takeImage: () => admission.takeImage(networkOf(request.ip ?? ''), response),
  });

  return async (request: Request, response: Response) => {
    response.locals['route'] = route.path;
    const caller = await admission.admit(route, queues, request, response);
    const answer = await perform(
      route,
      {
        params: { ...(request.params as Record<string, string>) },
        readQuery: () => queryOf(request),
        readBody: async () =>
          route.isBodyOptional === true && !hasBody(request)
            ? {}
            : readBody(request, route.bodyLimit ?? MEBIBYTE),
        readUpload: (upload) => receiveUpload(request, upload, caller.projectId, queues.cache),
        idempotencyKey: request.get('idempotency-key'),
        ifMatch: request.get('if-match'),
      },
      {
        caller,
        client: clientOf(request),
        requestId: String(response.locals['requestId']),
        log,
        respondAsync: /(^|[,; ])respond-async($|[,; ])/i.test(request.get('prefer') ?? ''),
        ifNoneMatch: request.get('if-none-match'),
        connection: connectionOf(request, response),
        queues,
      },
    );
    await send(answer, request, response);
  };
}

function refuse(log: Log) {
  return (thrown: unknown, _request: Request, response: Response, _next: NextFunction) => {
    const requestId = String(response.locals['requestId']);
    const refusal = refusalOf(thrown);
    const errors = response.locals['errors'] as ErrorAnswer | undefined;
    const answer: ReturnType<ErrorAnswer> = (errors ?? answerError)(refusal, requestId);
    const { status, body, headers = {} } = answer;
    if (refusal instanceof Refusal && refusal.isReplayed) {
      response.set('Idempotent-Replayed', 'true');
    }
    if (isGone(response, thrown)) {
      log.info({ requestId }, 'the client closed the connection before the response');
      response.destroy();
      return;
    }
    if (isDataError(thrown)) log.warn({ err: thrown, requestId }, 'a query refused a value');
    if (thrown instanceof NoConnection) log.error({ err: thrown, requestId }, 'request not served');
    if (status >= 500 && !(refusal instanceof Refusal)) {
      log.error({ err: thrown, requestId, status }, 'request failed');
    }
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if ((status === 429 || status === 503) && !response.hasHeader('Retry-After')) {
      const seconds = refusal instanceof Refusal ? refusal.retryAfterSeconds : undefined;
      response.set('Retry-After', String(seconds ?? RETRY_S));
    }
    if (status === 401) response.set('WWW-Authenticate', 'Bearer');
    response.status(status).set(headers);
    if (Buffer.isBuffer(body)) response.end(body);
    else response.json(body);
  };
}

/** Returns true if the client closed the connection before the answer, which is not a fault. */
function isGone(response: Response, thrown: unknown): boolean {
  const code = (thrown as { code?: unknown } | null)?.code;
  return (
    thrown instanceof ClientGone ||
    (response.destroyed && (code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET'))
  );
}

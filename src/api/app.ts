import { randomUUID } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import { languageOf } from '../html/language.ts';
import type { Log } from '../infra/log.ts';
import { httpRequests } from '../infra/metrics.ts';
import { type Check, healthAnswer } from '../infra/process.ts';
import type { Redis } from '../infra/redis.ts';
import { statsAnswer } from '../stats/page.ts';
import { noteApiKeyUse } from '../workspaces/key-use.ts';
import type { Caller } from '../workspaces/queries.ts';
import { answerError } from './answer-error.ts';
import { authenticate, authorize, NOBODY } from './authenticate.ts';
import { errorReference } from './error-reference.ts';
import { check, parseQuery, readBody } from './input.ts';
import { openApiDocument } from './openapi.ts';
import { RateLimit } from './rate-limit.ts';
import type { Queues, Route } from './route.ts';
import { routes } from './routes.ts';

const MEBIBYTE = 1024 * 1024;

/** What the API needs of its process. */
export interface ApiMeans {
  log: Log;
  redis: Redis;
  queues: Queues;
  checks: Record<string, Check>;
}

/** The Express application: the middleware in order, then every room's routes. */
export function makeApp(means: ApiMeans): Express {
  const app = express();
  const rateLimit = new RateLimit(means.redis);
  const document = openApiDocument(routes);
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.set('trust proxy', config().TRUST_PROXY);

  app.use(identify(means.log));
  app.get(['/healthz', '/readyz'], async (request, response) => {
    const health = await healthAnswer(request.path, means.checks);
    response.status(health?.status ?? 404).json(health?.body);
  });
  app.get('/openapi.json', (_request, response) => {
    response.json(document);
  });
  app.get('/docs/api-reference/errors', (_request, response) => {
    response.type('html').set(errorReference.headers).send(errorReference.body);
  });
  app.get('/stats/:domain/*key', showStatistics(rateLimit));
  for (const route of routes) {
    app[route.method](route.path.replaceAll(/\{(\w+)\}/g, ':$1'), handle(route, means, rateLimit));
  }
  app.use((request: Request) => {
    throw new Refusal('not_found', `There is no ${request.method} ${request.path}`);
  });
  app.use(refuse(means.log));
  return app;
}

const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** Gives the request its id, and logs and counts it when it has been answered: one line each. */
function identify(log: Log) {
  return (request: Request, response: Response, next: NextFunction) => {
    const given = request.get('x-request-id');
    const requestId = given !== undefined && REQUEST_ID.test(given) ? given : randomUUID();
    response.locals['requestId'] = requestId;
    response.set('X-Request-Id', requestId);
    response.set('Cache-Control', 'no-store');
    const began = process.hrtime.bigint();
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
    next();
  };
}

/** The one page for people: public statistics, limited by address. */
function showStatistics(rateLimit: RateLimit) {
  return async (request: Request, response: Response) => {
    response.locals['route'] = '/stats';
    const verdict = await rateLimit.takeOf(request.ip ?? '');
    response.set(verdict.headers);
    if (verdict.refusal !== undefined) throw verdict.refusal;
    const { domain, key } = request.params as unknown as { domain: string; key: string[] };
    const page = await statsAnswer({
      domain,
      key: key.join('/'),
      query: new URL(request.url, 'http://localhost').searchParams,
      language: languageOf(request.get('accept-language') ?? ''),
    });
    for (let at = 0; at < page.headers.length; at += 2) {
      response.setHeader(page.headers[at]!, page.headers[at + 1]!);
    }
    response.status(page.status).end(page.body);
  };
}

function handle(route: Route, { queues }: ApiMeans, rateLimit: RateLimit) {
  /** Lets the request in, or throws why not. */
  async function admit(route: Route, request: Request, response: Response): Promise<Caller> {
    if (route.scope === 'public') {
      const verdict = await rateLimit.takeOf(request.ip ?? '');
      response.set(verdict.headers);
      if (verdict.refusal !== undefined) throw verdict.refusal;
      return NOBODY;
    }
    const caller = await authenticate(request.get('authorization'));
    response.locals['projectId'] = caller.projectId;
    const verdict = await rateLimit.take(caller, route.limit ?? 'api');
    response.set(verdict.headers);
    if (verdict.refusal !== undefined) throw verdict.refusal;
    authorize(caller, route.scope, route.plan);
    noteApiKeyUse(queues.producer, caller);
    return caller;
  }

  return async (request: Request, response: Response) => {
    response.locals['route'] = route.path;
    const caller = await admit(route, request, response);

    const search = request.url.includes('?') ? request.url.slice(request.url.indexOf('?')) : '';
    const query = parseQuery(search);
    const known = Object.keys(route.query?.describe().keys ?? {});
    for (const name of Object.keys(query)) {
      if (!known.includes(name)) {
        throw new Refusal('unprocessable_entity', `${name} is not a known query parameter`);
      }
    }
    const body =
      route.body === undefined ? undefined : await readBody(request, route.bodyLimit ?? MEBIBYTE);
    const answer = await route.handle({
      caller,
      params:
        route.params === undefined ? {} : check(route.params, { ...request.params }, 'params'),
      query: route.query === undefined ? {} : check(route.query, query, 'query'),
      body:
        route.body === undefined ? undefined : check(route.bodyCheck ?? route.body, body, 'body'),
      requestId: String(response.locals['requestId']),
      respondAsync: /(^|[,; ])respond-async($|[,; ])/i.test(request.get('prefer') ?? ''),
      ifNoneMatch: request.get('if-none-match'),
      queues,
    });
    response.status(answer.status).set(answer.headers ?? {});
    if (isInParts(answer.body)) await pipeline(answer.body, response);
    else if (answer.body === undefined || Buffer.isBuffer(answer.body)) response.end(answer.body);
    else response.json(answer.body);
  };
}

/** A text that is made while it is sent. */
const isInParts = (body: unknown): body is AsyncIterable<string> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body;

function refuse(log: Log) {
  return (thrown: unknown, _request: Request, response: Response, _next: NextFunction) => {
    const requestId = String(response.locals['requestId']);
    const refusal = isMalformedUrl(thrown)
      ? new Refusal('bad_request', 'The path is not well percent-encoded')
      : thrown;
    const { status, body } = answerError(refusal, requestId);
    if (status === 500) log.error({ err: thrown, requestId }, 'request failed');
    if (response.headersSent) {
      response.destroy();
      return;
    }
    response.status(status).json(body);
  };
}

/** Express throws this for a path such as `/links/%E0%A4`. */
function isMalformedUrl(thrown: unknown): boolean {
  return thrown instanceof URIError;
}

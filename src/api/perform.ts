import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { Refusal } from '../errors.ts';
import { hasCursors, openCursor, withNext } from '../http/cursor.ts';
import { ifMatchOf, withEtag } from '../http/etag.ts';
import { refuseFarPage } from '../http/fields.ts';
import { check, checkEnvelope, checkRepeatable, parseQuery, type Query } from '../http/input.ts';
import {
  type Answer,
  type ApiRequest,
  type Client,
  isOfWorkspace,
  type MediaTypes,
  type Queues,
  type Route,
} from '../http/route.ts';
import type { Upload } from '../http/upload.ts';
import { isTimeout } from '../infra/db.ts';
import { type Limits, partsWithin, withinLimits } from '../infra/limits.ts';
import type { Log } from '../infra/log.ts';
import { memoize } from '../infra/memoize.ts';
import { networkOf } from '../infra/network.ts';
import type { Check } from '../infra/process.ts';
import type { Redis } from '../infra/redis.ts';
import { readLagging } from '../infra/standbys.ts';
import { checkedKey, readIdempotency } from '../jobs/idempotency.ts';
import type { Page } from '../web/layout.ts';
import type { HeavyRequests } from './heavy-requests.ts';

/** The dependencies of the API. */
export interface ApiDependencies {
  log: Log;
  redis: Redis;
  queues: Queues;
  checks: Record<string, Check>;
}

/** A request to a route as its client sent it; nothing is validated yet. */
export interface Sent {
  params: Record<string, string>;
  readQuery(): Query;
  /** Called if the route has a body. */
  readBody(): Promise<unknown>;
  /** Called if the body is a file. */
  readUpload?(upload: MediaTypes & { limit: number }): Promise<Upload>;
  idempotencyKey: string | undefined;
  ifMatch: string | undefined;
}

/** The remaining parts of a request that its handler receives besides its input. */
export type Context = Omit<ApiRequest, 'params' | 'query' | 'body' | 'idempotency' | 'ifMatch'>;

/**
 * Validates the input of a request that passed authentication and limits, and answers it.
 *
 * @throws Refusal
 */
export type Perform = (route: Route, request: Sent, context: Context) => Promise<Answer>;

/** Part of Joi's description of a query schema. */
interface QueryDescription {
  keys?: Record<string, unknown>;
  flags?: { unknown?: boolean };
}

/** Returns the parameters that a route accepts; `any` if it accepts all. */
const parametersOf = memoize((route: Route): Set<string> | 'any' => {
  const { keys = {}, flags }: QueryDescription = route.query?.describe() ?? {};
  return flags?.unknown === true ? 'any' : new Set(Object.keys(keys));
}, new WeakMap());

/** Creates the function that answers requests, and limits concurrent heavy ones. */
export function performer(heavy: HeavyRequests): Perform {
  async function perform(route: Route, request: Sent, context: Context): Promise<Answer> {
    const { caller, ifNoneMatch } = context;
    const query = request.readQuery();
    const names = parametersOf(route);
    const unknown = names === 'any' ? [] : Object.keys(query).filter((name) => !names.has(name));
    if (unknown.length > 0) throw new Refusal('unprocessable_entity', describeUnknown(unknown));
    const body = route.body === undefined ? undefined : await request.readBody();
    const key = takesKey(route) ? checkedKey(request.idempotencyKey) : undefined;
    const { value: checkedBody, late } = checkBody(route, body);
    if (late !== undefined && key === undefined) throw late;
    const input = {
      params: route.params === undefined ? {} : check(route.params, request.params, 'params'),
      query: route.query === undefined ? {} : check(route.query, query, 'query'),
      body: route.upload === undefined ? checkedBody : await request.readUpload!(route.upload),
    };
    refuseFarPage(input.query);
    const list = hasCursors(route)
      ? { route, projectId: caller.projectId, params: input.params, query: input.query }
      : undefined;
    const checked = {
      ...context,
      ...input,
      query: list === undefined ? input.query : openCursor(list),
      idempotency: await readIdempotency(route, caller, key, input, late),
      ifMatch: ifMatchOf(route, request.ifMatch),
    };
    const answer = await answerWithin(caller.limits, () => route.handle(checked));
    return list === undefined
      ? withEtag(route, answer, ifNoneMatch)
      : withNext(list, { params: request.params, query }, answer);
  }

  return async (route, request, context) => {
    const { isHeavy } = route;
    // Limits are filters of a list, which few indexes serve.
    const isLimitedList = typeof isHeavy === 'function' && context.caller.limits !== undefined;
    const waits =
      isLimitedList ||
      (typeof isHeavy === 'function' ? isHeavy(request.readQuery()) : isHeavy === true);
    if (!waits) return perform(route, request, context);
    const { projectId } = context.caller;
    return heavy.run(projectId, async () => {
      const answer = () => perform(route, request, context);
      try {
        return await (route.method === 'get' ? readLagging(projectId, answer) : answer());
      } catch (error) {
        if (!isTimeout(error)) throw error;
        const { requestId, log } = context;
        log.warn({ err: error, requestId, route: route.path }, 'an expensive request timed out');
        throw new Refusal(
          'unprocessable_entity',
          'The query took too long: choose a shorter period or fewer filters',
        );
      }
    });
  };
}

/** Answers a request within the limits of its caller, which hold until the answer is sent. */
async function answerWithin(limits: Limits | undefined, answer: () => Promise<Answer>) {
  const answered = await withinLimits(limits, answer);
  if (limits === undefined || !isInParts(answered.body)) return answered;
  return { ...answered, body: partsWithin(limits, answered.body) };
}

/** Sends the answer of a handler. */
export async function send(answer: Answer, request: Request, response: Response): Promise<void> {
  response.status(answer.status).set(answer.headers ?? {});
  if (isInParts(answer.body)) {
    if (request.method === 'HEAD') response.end();
    else await pipeline(answer.body, response);
  } else if (answer.body === undefined || Buffer.isBuffer(answer.body)) response.end(answer.body);
  else response.json(answer.body);
}

/** Sends a page for people. */
export function sendPage({ status, headers, body }: Page, response: Response): void {
  for (let at = 0; at < headers.length; at += 2) response.setHeader(headers[at]!, headers[at + 1]!);
  response.status(status).end(body);
}

/** Parses the query string of a request. */
export function queryOf({ url }: Request): Query {
  const mark = url.indexOf('?');
  return parseQuery(mark < 0 ? '' : url.slice(mark));
}

/** Describes the browser or program that sent a request. */
export const clientOf = (request: Request): Client => ({
  network: networkOf(request.ip ?? ''),
  userAgent: request.get('user-agent') ?? '',
  cookies: request.get('cookie'),
});

/**
 * Returns true for a route whose repeats can be made safe by an Idempotency-Key, which belongs to a
 * workspace.
 */
const takesKey = ({ method, scope }: Route): boolean => method === 'post' && isOfWorkspace(scope);

function checkBody({ body: schema, bodyCheck }: Route, body: unknown) {
  if (bodyCheck !== undefined) return { value: checkEnvelope<unknown>(bodyCheck, body, 'body') };
  return schema === undefined
    ? { value: undefined }
    : checkRepeatable<unknown>(schema, body, 'body');
}

/** Maximum number of unknown parameters that an answer names. */
const MAX_NAMED = 50;

const describeUnknown = (names: readonly string[]): string =>
  names
    .slice(0, MAX_NAMED)
    .map((name) => `${name} is not a known query parameter`)
    .join('; ');

/** Returns true for a text that is produced while it is sent. */
const isInParts = (body: unknown): body is AsyncIterable<string> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body;

import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { Refusal } from '../errors.ts';
import { isOfWorkspace, type Queues, type Route } from '../http/route.ts';
import { networkOf } from '../infra/network.ts';
import type { Redis } from '../infra/redis.ts';
import type { Producer } from '../queues/producer.ts';
import { settingsJobs } from '../settings/jobs.ts';
import { sessionTokenIn } from '../users/cookie.ts';
import { recordSessionUse } from '../users/sessions.ts';
import { type Caller, type KeyProof, recordApiKeyUse } from '../workspaces/api-keys.ts';
import { Authenticator, authorize, NOBODY, type Rights } from './authenticate.ts';
import { allowOrigin, isOpen, refuseOtherOrigins } from './cors.ts';
import { allowListedOrigin, needsSecretKey, refuseOtherPages } from './page-keys.ts';
import { RateLimit, type RateLimitVerdict, requestLimitOf } from './rate-limit.ts';

/** Returns true for requests that count against the limit of the workspace's plan. */
const isCountedForWorkspace = ({ limit }: Needs, { sessionId }: Caller): boolean =>
  sessionId === undefined && limit === undefined;

/** Requirements of a request; `scope: undefined` for any valid key. */
export interface Needs extends Rights, Pick<Route, 'limit'> {}

/** Admits requests: identifies their callers, and checks whether they may make the request now. */
export class Admission {
  readonly #rateLimit: RateLimit;
  readonly #authenticator = new Authenticator();

  constructor(redis: Redis) {
    this.#rateLimit = new RateLimit(redis);
  }

  /**
   * Identifies the caller of a request and counts the request.
   *
   * @throws Refusal `unauthorized`, `forbidden` or `rate_limit_exceeded`
   */
  async admit(
    route: Route,
    { producer }: Pick<Queues, 'producer'>,
    request: Request,
    response: Response,
  ): Promise<Caller> {
    const network = networkOf(request.ip ?? '');
    if (route.scope === 'public') {
      if (isOpen(route)) allowOrigin(request, response, true);
      // The request may start or end a session.
      refuseOtherOrigins(request);
      await this.takePublic(network, response);
      return { ...NOBODY, network };
    }
    const caller = await this.#callerOf(route, producer, request, network);
    response.locals['projectId'] = caller.projectId;
    if (caller.origins !== null) {
      allowListedOrigin(caller, request, response);
      await this.takePublic(network, response);
      refuseOtherPages(caller, route, request);
    }
    await this.take(route, caller, producer, response);
    const params = request.params as Record<string, string>;
    const isOwn = route.isOwn?.(caller, params) === true;
    authorize(caller, isOwn ? { ...route, scope: undefined } : route);
    recordApiKeyUse(producer, caller);
    return caller;
  }

  /**
   * Like `admit`, but accepts only an API key and ignores cookies. For clients that send their key
   * in another place. Refuses publishable keys.
   *
   * @param authorization key in the form of an `Authorization` header, or a proof of it
   */
  async admitKey(
    route: Needs,
    { producer }: Pick<Queues, 'producer'>,
    { authorization, network }: { authorization: string | KeyProof | undefined; network: string },
    response: Response,
  ): Promise<Caller> {
    if (route.scope === 'public') {
      await this.takePublic(network, response);
      return { ...NOBODY, network };
    }
    const caller =
      typeof authorization === 'object'
        ? await this.#authenticator.byProof(authorization, network)
        : await this.#authenticator.byApiKey(authorization, network);
    response.locals['projectId'] = caller.projectId;
    if (caller.origins !== null) {
      await this.takePublic(network, response);
      throw needsSecretKey();
    }
    await this.take(route, caller, producer, response);
    authorize(caller, route);
    recordApiKeyUse(producer, caller);
    return caller;
  }

  /** @throws Refusal `forbidden` when the admitted caller lacks the scope or plan */
  authorize(needs: Needs, caller: Caller): void {
    if (needs.scope !== 'public') authorize(caller, needs);
  }

  /**
   * Counts a request against the limit of its caller.
   *
   * @throws Refusal `rate_limit_exceeded`
   */
  async take(route: Needs, caller: Caller, producer: Producer, response: Response): Promise<void> {
    const verdict = await this.#verdictOf(route, caller);
    if (verdict.percent !== undefined && isCountedForWorkspace(route, caller)) {
      reportLimit(producer, caller, verdict.percent);
    }
    // A page reads the limit of its visitor, not how many visitors the workspace has.
    const isShown = caller.origins === null || verdict.refusal !== undefined;
    if (isShown) this.#apply(response, verdict);
  }

  /**
   * Checks again whether the caller of a long request still has access.
   *
   * @throws Refusal as `admit` does
   */
  async check(
    route: Route,
    { producer }: Pick<Queues, 'producer'>,
    request: Request,
  ): Promise<Caller> {
    if (route.scope === 'public') return NOBODY;
    const caller = await this.#callerOf(route, producer, request, networkOf(request.ip ?? ''));
    refuseOtherPages(caller, route, request);
    authorize(caller, route);
    return caller;
  }

  async #callerOf(
    { scope }: Route,
    producer: Producer,
    request: Request,
    network: string,
  ): Promise<Caller> {
    const authorization = request.get('authorization');
    const token = sessionTokenIn(request.get('cookie'));
    if (authorization === undefined && token === undefined && !isOfWorkspace(scope)) {
      throw new Refusal('unauthorized', 'Sign in first: this needs the session of a person');
    }
    // Programs that keep cookies may send both.
    if (authorization !== undefined || token === undefined) {
      return this.#authenticator.byApiKey(authorization, network);
    }
    refuseOtherOrigins(request);
    const workspace = isOfWorkspace(scope) ? (request.get('x-workspace') ?? '') : null;
    const caller = await this.#authenticator.bySession(token, workspace, network);
    recordSessionUse(producer, caller);
    return caller;
  }

  /**
   * Counts a request without a key against the limit of its network.
   *
   * @throws Refusal `rate_limit_exceeded`
   */
  async takePublic(network: string, response: Response): Promise<void> {
    this.#apply(response, await this.#rateLimit.takePublic(network));
  }

  /**
   * Counts an image without a key against the limit of its network.
   *
   * @throws Refusal `rate_limit_exceeded`
   */
  async takeImage(network: string, response: Response): Promise<void> {
    const { headers, refusal } = await this.#rateLimit.takeImage(network);
    // Other answers keep the headers of the general limit.
    if (refusal !== undefined) this.#apply(response, { headers, refusal });
  }

  /**
   * Counts the registration of an OAuth client against the limit of its network.
   *
   * @throws Refusal `rate_limit_exceeded`
   */
  async takeRegistration(network: string, response: Response): Promise<void> {
    this.#apply(response, await this.#rateLimit.takeRegistration(network));
  }

  #verdictOf({ limit }: Needs, caller: Caller): Promise<RateLimitVerdict> {
    if (limit === 'fetch') return this.#rateLimit.takeFetch(caller.projectId);
    if (caller.origins !== null) return this.#rateLimit.take(caller, 'page');
    return caller.sessionId === undefined
      ? this.#rateLimit.take(caller, limit ?? 'api')
      : this.#rateLimit.takeUser(caller.userId);
  }

  #apply(response: Response, { headers, refusal }: RateLimitVerdict): void {
    response.set(headers);
    if (refusal !== undefined) throw refusal;
  }
}

const reported = new LRUCache<string, true>({ max: 10_000 });

/**
 * Queues an alert that a workspace has used much of its request limit, once a day per process. Not
 * awaited; errors are ignored.
 */
function reportLimit(producer: Producer, caller: Caller, percent: 80 | 100): void {
  const { projectId } = caller;
  const at = new Date().toISOString();
  const jobId = `limit_${projectId}_${percent}_${at.slice(0, 10)}`;
  if (reported.has(jobId)) return;
  reported.set(jobId, true);
  const limit = requestLimitOf(caller);
  const data = { limit: 'requestsPerMinute' as const, percent, most: limit, at };
  producer.add(settingsJobs['limit.announce'], data, { jobId, projectId }).catch(() => {});
}

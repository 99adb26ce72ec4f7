import { RateLimiterMemory } from 'rate-limiter-flexible';
import { Refusal } from '../errors.ts';
import { isOfWorkspace, type Route } from '../http/route.ts';
import { hashApiKey, hashToken } from '../infra/secrets.ts';
import { findSessionCaller, type SessionCaller } from '../users/sessions.ts';
import { type ApiKeyOwner, type Caller, findApiKey } from '../workspaces/api-keys.ts';
import { includesPlan, type Plan } from '../workspaces/plans.ts';
import { includesScope } from '../workspaces/scopes.ts';
import { SlowLane } from './slow-lane.ts';

/** The caller of endpoints without a key. */
export const NOBODY: Caller = {
  projectId: '',
  workspaceSlug: '',
  plan: 'free',
  requestsPerMinute: null,
  userId: '',
  apiKeyId: '',
  scopes: [],
};

/**
 * Keys that don't hold which one network may try in FAILURE_SECONDS. After that the keys that this process has not seen
 * valid are looked up one by one.
 */
const FAILURES = 100;
const FAILURE_SECONDS = 60;
/** Time for which a refused key is cached, in ms: a key that is created in the meantime is valid after that. */
const REFUSED_MS = 10_000;
/** Hashes of keys that a process remembers, of each kind. */
const REMEMBERED = 10_000;

/**
 * Finds out whose keys and sessions these are. Every valid one is looked up at each request, so that it ends when it is
 * revoked; those that don't hold cost few look-ups, however many are tried.
 */
export class Authenticator {
  /** Why keys don't hold, and until when that is remembered, by hash. */
  readonly #refused = new Map<string, { why: string; until: number }>();
  /** Hashes of keys that were valid when they were last looked up. */
  readonly #valid = new Map<string, true>();
  readonly #failures = new RateLimiterMemory({ points: FAILURES, duration: FAILURE_SECONDS });
  readonly #slowLane = new SlowLane();

  /**
   * The caller behind an `Authorization` header.
   *
   * @param network where the request comes from (`networkOf`)
   * @throws Refusal `unauthorized` when the key is missing, unknown, revoked or expired; `rate_limit_exceeded` when the
   *   network has tried too many such keys, and too many others wait for their look-up
   */
  async byApiKey(authorization: string | undefined, network: string): Promise<Caller> {
    const [, apiKey] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
    if (apiKey === undefined) {
      throw new Refusal(
        'unauthorized',
        'Send your API key in the header "Authorization: Bearer <API_KEY>"',
      );
    }
    const hash = hashApiKey(apiKey);
    return this.#find(hash, network, async () => {
      const key = await findApiKey(hash);
      return key === undefined ? { why: 'The API key is not known' } : checkEnded(key);
    });
  }

  /**
   * The caller behind the token of a session.
   *
   * @param workspace slug of the workspace that the request names; `null` where it needs none
   * @throws Refusal `unauthorized` when the session has ended; `forbidden` when its person does not belong to the
   *   workspace; `rate_limit_exceeded` as `byApiKey` does
   */
  bySession(token: string, workspace: string | null, network: string): Promise<SessionCaller> {
    const hash = hashToken(token);
    return this.#find(hash, network, () => findSessionCaller(hash, workspace, network));
  }

  async #find<Found extends Caller>(
    hash: string,
    network: string,
    find: () => Promise<Found | Refused>,
  ): Promise<Found> {
    this.#refuseRemembered(hash);
    if (this.#valid.has(hash)) return this.#lookUp(hash, network, find);
    const tried = await this.#failures.get(network);
    if (tried === null || tried.consumedPoints < FAILURES) {
      return this.#lookUp(hash, network, find);
    }
    return this.#slowLane.run(network, () => this.#lookUp(hash, network, find));
  }

  #refuseRemembered(hash: string): void {
    const refused = this.#refused.get(hash);
    if (refused === undefined || refused.until <= Date.now()) return;
    throw new Refusal('unauthorized', refused.why);
  }

  async #lookUp<Found extends Caller>(
    hash: string,
    network: string,
    find: () => Promise<Found | Refused>,
  ): Promise<Found> {
    // While this request waited for its turn, another one may have tried the same key.
    this.#refuseRemembered(hash);
    const checked = await find();
    if (!('why' in checked)) {
      remember(this.#valid, hash, true);
      return checked;
    }
    const { why } = checked;
    this.#valid.delete(hash);
    remember(this.#refused, hash, { why, until: Date.now() + REFUSED_MS });
    // A refusal here only says that there were too many, which the next request finds out.
    await this.#failures.consume(network).catch(() => {});
    throw new Refusal('unauthorized', why);
  }
}

/** Why a key or session doesn't hold. */
interface Refused {
  why: string;
}

/** Sets an entry, and lets go of the oldest ones where there are too many. */
function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= REMEMBERED) return;
    map.delete(oldest);
  }
}

/** The key, or why it holds no longer. */
function checkEnded(key: ApiKeyOwner): ApiKeyOwner | Refused {
  const { revokedAt, expiresAt } = key;
  if (revokedAt !== null) return { why: 'The API key has been revoked' };
  if (expiresAt !== null && expiresAt.getTime() <= Date.now()) {
    return { why: `The API key expired at ${expiresAt.toISOString()}` };
  }
  return key;
}

/**
 * @param scope of the route; `undefined` for what is the caller's own
 * @throws Refusal `forbidden` when the key or role lacks the scope, it needs a person, or the workspace's plan is too low
 */
export function authorize(
  caller: Caller,
  scope: Route['scope'] | undefined,
  plan: Plan | undefined,
): void {
  if (scope !== undefined) refuseBeyond(caller, scope);
  if (plan !== undefined && !includesPlan(caller.plan, plan)) {
    throw new Refusal(
      'forbidden',
      `This needs the ${plan} plan or higher; the workspace "${caller.workspaceSlug}" has the ${caller.plan} plan`,
    );
  }
}

function refuseBeyond(
  { sessionId, isOperator, role, scopes }: Caller,
  scope: Route['scope'],
): void {
  if (isOfWorkspace(scope)) {
    if (includesScope(scopes, scope)) return;
    const who = role === undefined ? 'The API key' : `The role "${role}"`;
    throw new Refusal('forbidden', `${who} lacks the scope "${scope}"`);
  }
  if (sessionId === undefined) {
    throw new Refusal('forbidden', 'This needs the session of a signed-in person, not an API key');
  }
  if (scope === 'operator' && isOperator !== true) {
    throw new Refusal('forbidden', 'This needs an operator of the installation');
  }
}

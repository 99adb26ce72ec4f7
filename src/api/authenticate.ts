import { LRUCache } from 'lru-cache';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { Refusal } from '../errors.ts';
import { isOfWorkspace, type Route } from '../http/route.ts';
import { hashApiKey, hashToken } from '../infra/secrets.ts';
import { findSessionCaller, type SessionCaller } from '../users/sessions.ts';
import {
  type ApiKeyOwner,
  type Caller,
  findApiKey,
  findProvenKey,
  type KeyProof,
} from '../workspaces/api-keys.ts';
import { includesPlan } from '../workspaces/plans.ts';
import { includesScope } from '../workspaces/scopes.ts';
import { SlowLane } from './slow-lane.ts';

/** Caller of endpoints that need no key. */
export const NOBODY: Caller = {
  projectId: '',
  workspaceSlug: '',
  plan: 'free',
  requestsPerMinute: null,
  userId: '',
  apiKeyId: '',
  origins: null,
  scopes: [],
};

/**
 * Number of invalid keys that one network may try in FAILURE_SECONDS. After that, keys that this
 * process has not seen valid are looked up one at a time.
 */
const MAX_FAILURES = 100;
const FAILURE_SECONDS = 60;
/**
 * Time for which a refused key is cached, in ms. A key that is created meanwhile becomes valid
 * afterwards.
 */
const REFUSED_MS = 10_000;
/** Number of key hashes that a process caches, of each type. */
const MAX_CACHED = 10_000;

/**
 * Identifies the owners of API keys and sessions. Valid ones are looked up at each request, so that
 * a revocation takes effect immediately; invalid ones cost few look-ups, however many are tried.
 */
export class Authenticator {
  /** Reasons for refusing keys, by hash. */
  readonly #refused = new LRUCache<string, string>({ max: MAX_CACHED, ttl: REFUSED_MS });
  /** Hashes of keys that were valid when they were last looked up. */
  readonly #valid = new LRUCache<string, true>({ max: MAX_CACHED });
  readonly #failures = new RateLimiterMemory({ points: MAX_FAILURES, duration: FAILURE_SECONDS });
  readonly #slowLane = new SlowLane();

  /**
   * Identifies the caller of an `Authorization` header.
   *
   * @param network network of the client (`networkOf`)
   * @throws Refusal `unauthorized` when the key is missing, unknown, revoked or expired;
   * `rate_limit_exceeded` when the network has tried too many invalid keys, and too many others
   * wait for their look-up
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
   * Identifies the caller of a request that proves its key without containing it.
   *
   * @throws Refusal as `byApiKey` does
   */
  byProof(proof: KeyProof, network: string): Promise<Caller> {
    const hash = hashToken(`${proof.apiKeyId} ${proof.text}`);
    return this.#find(hash, network, async () => {
      const key = await findProvenKey(proof);
      return key === undefined
        ? { why: 'The signature is not of this key, or the key was created without signatures' }
        : checkEnded(key);
    });
  }

  /**
   * Identifies the caller of a session token.
   *
   * @param workspace slug of the workspace that the request names; `null` if it needs none
   * @throws Refusal `unauthorized` when the session has ended; `forbidden` when the person is not a
   * member of the workspace; `rate_limit_exceeded` as `byApiKey` does
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
    if (tried === null || tried.consumedPoints < MAX_FAILURES) {
      return this.#lookUp(hash, network, find);
    }
    return this.#slowLane.run(network, () => this.#lookUp(hash, network, find));
  }

  #refuseRemembered(hash: string): void {
    const why = this.#refused.get(hash);
    if (why !== undefined) throw new Refusal('unauthorized', why);
  }

  async #lookUp<Found extends Caller>(
    hash: string,
    network: string,
    find: () => Promise<Found | Refused>,
  ): Promise<Found> {
    // Another request may have tried the same key while this one waited.
    this.#refuseRemembered(hash);
    const checked = await find();
    if (!('why' in checked)) {
      this.#valid.set(hash, true);
      return checked;
    }
    const { why } = checked;
    this.#valid.delete(hash);
    this.#refused.set(hash, why);
    // A refusal here only means that there were too many failures, which the next request will
    // notice.
    await this.#failures.consume(network).catch(() => {});
    throw new Refusal('unauthorized', why);
  }
}

/** Reason why a key or session is invalid. */
interface Refused {
  why: string;
}

/** Returns the key, or the reason why it is no longer valid. */
function checkEnded(key: ApiKeyOwner): ApiKeyOwner | Refused {
  const { revokedAt, expiresAt } = key;
  if (revokedAt !== null) return { why: 'The API key has been revoked' };
  if (expiresAt !== null && expiresAt.getTime() <= Date.now()) {
    return { why: `The API key expired at ${expiresAt.toISOString()}` };
  }
  return key;
}

/** Requirements of an endpoint; `scope: undefined` for the caller's own data. */
export interface Rights extends Pick<Route, 'plan' | 'limits'> {
  scope: Route['scope'] | undefined;
}

/**
 * @throws Refusal `forbidden` when the caller is limited to records of a workspace and the endpoint
 * concerns all of it, the key or role lacks the scope, a person is required, or the plan of the
 * workspace is too low
 */
export function authorize(caller: Caller, { scope, plan, limits }: Rights): void {
  if (scope !== undefined) {
    if (caller.limits !== undefined && limits === undefined) throw concernsAll(caller);
    refuseBeyond(caller, scope);
  }
  if (plan !== undefined && !includesPlan(caller.plan, plan)) {
    throw new Refusal(
      'forbidden',
      `This needs the ${plan} plan or higher; the workspace "${caller.workspaceSlug}" has the ${caller.plan} plan`,
    );
  }
}

const concernsAll = ({ role }: Caller): Refusal =>
  new Refusal(
    'forbidden',
    `${role === undefined ? 'The API key' : 'The member'} is limited to some links and QR codes ` +
      '(`limits`): this concerns the whole workspace',
  );

function refuseBeyond(
  { sessionId, isOperator, role, scopes }: Caller,
  scope: Route['scope'],
): void {
  if (isOfWorkspace(scope)) {
    if (includesScope(scopes, scope)) return;
    const holder = role === undefined ? 'The API key' : `The role "${role}"`;
    throw new Refusal('forbidden', `${holder} lacks the scope "${scope}"`);
  }
  if (sessionId === undefined) {
    throw new Refusal('forbidden', 'This needs the session of a signed-in person, not an API key');
  }
  if (scope === 'operator' && isOperator !== true) {
    throw new Refusal('forbidden', 'This needs an operator of the installation');
  }
}

import { LRUCache } from 'lru-cache';
import { customAlphabet } from 'nanoid';
import { Refusal } from '../errors.ts';
import { newId } from '../ids.ts';
import { type Db, db as database, keysDb, preparedRows, rows } from '../infra/db.ts';
import type { Limits } from '../infra/limits.ts';
import { unseal } from '../infra/seal.ts';
import { hashApiKey } from '../infra/secrets.ts';
import { handlers } from '../queues/job.ts';
import type { Producer } from '../queues/producer.ts';
import { keyUseJobs } from './jobs.ts';
import { limitedScopes, limitsOf, memberLimitsSql, type StoredLimits } from './limits.ts';
import type { Plan } from './plans.ts';
import { workspaceId } from './queries.ts';
import type { Role } from './roles.ts';
import type { Scope } from './scopes.ts';

/**
 * The caller: workspace and user, with the scopes of the API key or of the role of a signed-in
 * person.
 */
export interface Caller {
  projectId: string;
  workspaceSlug: string;
  plan: Plan;
  /** The workspace's own limit; `null`: the limit of its plan, 0: none. */
  requestsPerMinute: number | null;
  userId: string;
  /** Empty for a person with a session. */
  apiKeyId: string;
  /** Origins whose pages may use the key, if it is publishable; `null` for other callers. */
  origins: readonly string[] | null;
  scopes: readonly string[];
  /** Limits to some links and QR codes; absent for none. */
  limits?: Limits | undefined;
  /**
   * The client's network, for endpoints without a workspace; it has a share of the workers like a
   * workspace.
   */
  network?: string;
  /** The session of a signed-in person. */
  sessionId?: string;
  /** True if the person signed in with a second factor. */
  hasSecondFactor?: boolean;
  /** The person's role in the workspace. */
  role?: Role;
  isOperator?: boolean;
}

/** The caller of a key, and its validity. */
export interface ApiKeyOwner extends Caller {
  expiresAt: Date | null;
  revokedAt: Date | null;
}

/** Proof that a client has an API key, without the key itself. */
export interface KeyProof {
  apiKeyId: string;
  /** The proof as it was sent. */
  text: string;
  /** Returns true if the proof was made with this key. */
  isOf(apiKey: string): boolean;
}

/**
 * Adds stored limits to a caller, with the scopes that they leave. Limits of a person hold for all
 * of their secret keys.
 */
export function limitedBy<Found extends Caller>(
  caller: Found,
  ...stored: readonly (StoredLimits | null)[]
): Found {
  if (stored.every((limits) => limits === null)) return caller;
  const limits = limitsOf(caller.userId, stored);
  return { ...caller, limits, scopes: limitedScopes(caller.scopes) };
}

const OWNERS = `
  SELECT k.id AS "apiKeyId", k.project_id AS "projectId", k.user_id AS "userId", k.scopes, k.origins,
         k.expires_at AS "expiresAt", k.revoked_at AS "revokedAt",
         w.slug AS "workspaceSlug", w.plan, w.requests_per_minute AS "requestsPerMinute",
         k.limits AS "keyLimits", ${memberLimitsSql} AS "memberLimits"
    FROM api_keys k JOIN workspaces w ON w.id = k.project_id
    LEFT JOIN workspace_users m ON m.project_id = k.project_id AND m.user_id = k.user_id`;

interface OwnerRow extends Omit<ApiKeyOwner, 'limits'> {
  keyLimits: StoredLimits | null;
  memberLimits: StoredLimits | null;
}

/**
 * Finds the caller of a key by the hash of the key. This and {@link findProvenKey} are the only
 * queries without a workspace, which they find.
 */
export async function findApiKey(hash: string): Promise<ApiKeyOwner | undefined> {
  const [row] = await preparedRows<OwnerRow>(
    keysDb(),
    'find api key',
    `${OWNERS} WHERE k.hash = ?`,
    [hash],
  );
  if (row === undefined) return undefined;
  const { keyLimits, memberLimits, ...owner } = row;
  // A publishable key reads nothing, and its pages must not stop with the limits of its creator.
  return owner.origins === null ? limitedBy(owner, keyLimits, memberLimits) : owner;
}

/** Finds the caller of a key by a proof, which only keys with a stored key have. */
export async function findProvenKey({
  apiKeyId,
  isOf,
}: KeyProof): Promise<ApiKeyOwner | undefined> {
  const [stored] = await rows<{ projectId: string; sealed: string; hash: string }>(
    keysDb(),
    `SELECT project_id AS "projectId", sealed_key AS sealed, hash FROM api_keys
      WHERE id = ? AND sealed_key IS NOT NULL`,
    [apiKeyId],
  );
  if (stored === undefined) return undefined;
  const { projectId, sealed, hash } = stored;
  return isOf(unseal({ purpose: 'api key', owner: projectId }, sealed))
    ? findApiKey(hash)
    : undefined;
}

// 32 characters of 62 have 190 bits, which cannot be guessed.
const randomKey = customAlphabet(
  '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  32,
);

/**
 * Creates a key with its stored parts: its hash, and its first characters for its owner to
 * recognize it.
 */
export function drawApiKey(apiKey = `sk_${randomKey()}`) {
  return { apiKey, hash: hashApiKey(apiKey), hint: `${apiKey.slice(0, 7)}…` };
}

/** Scopes of every publishable key. */
export const PUBLISHABLE_SCOPES: readonly Scope[] = ['conversions.write'];

/** Creates a key for web pages, where everybody can read it. */
export const drawPublishableKey = () => drawApiKey(`pk_${randomKey()}`);

export interface NewApiKey {
  workspace: string;
  name: string;
  scopes: string[];
  /** Origins of the pages that may use the key, which is then publishable. */
  origins?: readonly string[] | undefined;
  expiresAt?: Date | undefined;
  /** An existing key; absent: a new one is drawn. */
  apiKey?: string | undefined;
}

/**
 * Creates a key for the owner of a workspace. Only this returns the key itself; its hash is stored.
 *
 * @throws Refusal `not_found` for an unknown workspace; `conflict` for one without an owner
 */
export async function createApiKey(
  db: Db,
  { workspace, name, scopes, origins, expiresAt, apiKey: known }: NewApiKey,
): Promise<{ id: string; apiKey: string }> {
  const projectId = await workspaceId(db, workspace);
  const owner = (await db('workspace_users')
    .where({ project_id: projectId, role: 'owner' })
    .first('user_id')) as { user_id: string } | undefined;
  if (owner === undefined) {
    throw new Refusal('conflict', `The workspace "${workspace}" has no owner`);
  }
  const id = newId('apiKey');
  const drawn = origins === undefined ? drawApiKey(known) : drawPublishableKey();
  const { apiKey, hash, hint } = drawn;
  await db('api_keys').insert({
    id,
    project_id: projectId,
    user_id: owner.user_id,
    name,
    hash,
    hint,
    scopes,
    ...(origins !== undefined && { origins: [...origins], public_key: apiKey }),
    expires_at: expiresAt ?? null,
  });
  return { id, apiKey };
}

/** Revokes a key. @throws Refusal `not_found` if the workspace has no such key */
export async function revokeApiKey(db: Db, workspace: string, keyId: string): Promise<void> {
  const projectId = await workspaceId(db, workspace);
  const revoked = await db('api_keys')
    .where({ project_id: projectId, id: keyId })
    .update({ revoked_at: db.fn.now() });
  if (revoked === 0)
    throw new Refusal('not_found', `The workspace "${workspace}" has no key "${keyId}"`);
}

const NOTED_EVERY_MS = 60_000;
const noted = new LRUCache<string, true>({ max: 10_000, ttl: NOTED_EVERY_MS });

/**
 * Records the use of a key, at most once per minute and process. Not awaited; errors are ignored.
 */
export function recordApiKeyUse(producer: Producer, { apiKeyId, projectId }: Caller): void {
  if (apiKeyId === '' || noted.has(apiKeyId)) return;
  noted.set(apiKeyId, true);
  const data = { apiKeyId, at: new Date().toISOString() };
  producer.add(keyUseJobs['apiKey.used'], data, { jobId: newId('job'), projectId }).catch(() => {});
}

export const keyUseHandlers = handlers(keyUseJobs, {
  /** Stores the time of a key's last use. */
  async 'apiKey.used'({ apiKeyId, at }, { projectId }) {
    await database()('api_keys')
      .where({ project_id: projectId, id: apiKeyId })
      .update({ last_used_at: at });
  },
});

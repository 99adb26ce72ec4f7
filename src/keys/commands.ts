import { Refusal } from '../errors.ts';
import { refuseChanged } from '../http/etag.ts';
import { found } from '../http/route.ts';
import type { Db } from '../infra/db.ts';
import { refuseOverfull } from '../infra/overfull.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import { handlers } from '../queues/job.ts';
import { changeRow } from '../workspaces/change-row.ts';
import { refuseLiftedLimits, refuseUnknownPlaces } from '../workspaces/limits.ts';
import { scopeBeyond } from '../workspaces/scopes.ts';
import { keyJobs } from './jobs.ts';
import { ApiKey } from './model.ts';
import { type KeyType, toKey, typeOf } from './record.ts';

/** Maximum number of keys of a workspace that are neither revoked nor expired. */
const MAX_KEYS = 200;

/**
 * Refuses scopes that the caller lacks.
 *
 * @throws Refusal `forbidden`
 */
export function refuseBeyond(callerScopes: readonly string[], requested: readonly string[]): void {
  const scope = scopeBeyond(callerScopes, requested);
  if (scope === undefined) return;
  throw new Refusal('forbidden', `scopes must not contain "${scope}", which the caller lacks`);
}

/**
 * Refuses fields that keys of a type do not have.
 *
 * @throws Refusal `unprocessable_entity`
 */
export function refuseFieldsOf(type: KeyType, fields: Readonly<Record<string, unknown>>): void {
  const set = Object.keys(fields).filter((name) => fields[name] !== undefined);
  if (set.length === 0) return;
  const message = set.map((name) => `${name} must not be set where type is ${type}`).join('; ');
  throw new Refusal('unprocessable_entity', message);
}

/**
 * Refuses another key of a workspace that has as many as it may. Concurrent callers wait until the
 * transaction ends.
 *
 * @throws Refusal `unprocessable_entity`
 */
export const refuseTooManyKeys = (trx: Db, projectId: string): Promise<void> =>
  refuseOverfull(trx, `keys ${projectId}`, {
    count: () => ApiKey.of(projectId, trx).whereNull('revoked_at').resultSize(),
    max: MAX_KEYS,
    message: `A workspace has at most ${MAX_KEYS} API keys`,
  });

async function lockKey(trx: Db, projectId: string, id: string): Promise<ApiKey> {
  const row = await ApiKey.of(projectId, trx)
    .where({ id })
    .whereNull('revoked_at')
    .forNoKeyUpdate()
    .first();
  return found(row, `API key "${id}"`);
}

export const keyHandlers = handlers(keyJobs, {
  /**
   * Creates a key.
   *
   * @throws Refusal `unprocessable_entity` if there are too many, or for unknown folders or domains
   */
  'apiKey.create': (data, job) =>
    runIdempotent(job, async (trx) => {
      const { key, publicKey, userId, expiresAt, scopes, origins, yourlsSignatures, ...columns } =
        data;
      const { projectId } = job;
      await refuseTooManyKeys(trx, projectId);
      await refuseUnknownPlaces(trx, projectId, data.limits);
      const row = await ApiKey.add(
        projectId,
        {
          ...columns,
          scopes: [...scopes],
          public_key: publicKey ?? null,
          origins: origins === undefined ? null : [...origins],
          user_id: userId,
          sealed_key: yourlsSignatures === true ? key : null,
          expires_at: expiresAt === undefined ? null : new Date(expiresAt),
        },
        trx,
      );
      return { ...toKey(row), key: { sealed: key } };
    }),

  /**
   * Changes a key.
   *
   * @throws Refusal `not_found`; `forbidden` for other limits of a key with scopes that the caller
   *   lacks; `unprocessable_entity` for fields that keys of its type lack
   */
  'apiKey.update': ({ id, changes, callerScopes = [] }, job) =>
    runIdempotent(job, async (trx) => {
      const before = await lockKey(trx, job.projectId, id);
      refuseChanged(job.ifMatch, toKey(before));
      const { scopes, origins, limits } = changes;
      const type = typeOf(before);
      refuseFieldsOf(type, type === 'publishable' ? { scopes, limits } : { origins });
      if (limits !== undefined) {
        refuseLiftedLimits(callerScopes, before.limits, scopes ?? before.scopes);
      }
      await refuseUnknownPlaces(trx, job.projectId, limits);
      return toKey(await changeRow(ApiKey.of(job.projectId, trx), id, changes));
    }),

  /**
   * Replaces a key; the previous one is revoked at once.
   *
   * @throws Refusal `not_found`; `forbidden` if the key has scopes that the caller lacks;
   *   `conflict` for the key of an app, which renews it by itself
   */
  'apiKey.rotate': ({ id, callerScopes, key, publicKey, hash, hint }, job) =>
    runIdempotent(job, async (trx) => {
      const before = await lockKey(trx, job.projectId, id);
      refuseBeyond(callerScopes, before.scopes);
      if (before.client_id !== null) {
        throw new Refusal(
          'conflict',
          'The key belongs to an app, which renews it: revoke it instead',
        );
      }
      const sealed_key = before.sealed_key === null ? null : key;
      const public_key = publicKey ?? before.public_key;
      const changes = { hash, hint, sealed_key, public_key };
      const row = await changeRow(ApiKey.of(job.projectId, trx), id, changes);
      return { ...toKey(row), key: { sealed: key } };
    }),

  /** Revokes a key. @throws Refusal `not_found` */
  'apiKey.revoke': ({ id }, job) =>
    runIdempotent(job, async (trx) => {
      refuseChanged(job.ifMatch, toKey(await lockKey(trx, job.projectId, id)));
      await ApiKey.of(job.projectId, trx).where({ id }).patch({ revoked_at: new Date() });
      return { id };
    }),
});

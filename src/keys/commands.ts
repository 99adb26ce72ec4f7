import { Refusal } from '../errors.ts';
import { refuseChanged } from '../http/etag.ts';
import type { Db } from '../infra/db.ts';
import { refuseOverfull } from '../infra/overfull.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import type { JobContext } from '../queues/definition.ts';
import { handlers } from '../queues/job.ts';
import { scopeBeyond } from '../workspaces/scopes.ts';
import type { CreateKey, RotateKey } from './jobs.ts';
import { keyJobs } from './jobs.ts';
import { ApiKey } from './model.ts';
import { type KeyRecord, type KeyWithSecret, toKey } from './record.ts';
import type { KeyChanges } from './schema.ts';

/** Maximum number of keys of a workspace that are neither revoked nor expired. */
const MAX_KEYS = 200;

/** Creates a key. @throws Refusal `unprocessable_entity` if there are too many */
export function createKey(
  { key, userId, expiresAt, scopes, ...columns }: CreateKey,
  job: JobContext,
): Promise<KeyWithSecret> {
  return runIdempotent(job, async (trx) => {
    const { projectId } = job;
    await refuseOverfull(trx, `keys ${projectId}`, {
      count: () => ApiKey.of(projectId, trx).whereNull('revoked_at').resultSize(),
      max: MAX_KEYS,
      message: `A workspace has at most ${MAX_KEYS} API keys`,
    });
    const row = await ApiKey.add(
      projectId,
      {
        ...columns,
        scopes: [...scopes],
        user_id: userId,
        expires_at: expiresAt === undefined ? null : new Date(expiresAt),
      },
      trx,
    );
    return { ...toKey(row), key: { sealed: key } };
  });
}

/** Changes a key. @throws Refusal `not_found` */
export function updateKey(
  { id, changes }: { id: string; changes: KeyChanges },
  job: JobContext,
): Promise<KeyRecord> {
  return runIdempotent(job, async (trx) => {
    refuseChanged(job.ifMatch, toKey(await lockKey(trx, job.projectId, id)));
    return toKey(await patch(trx, job.projectId, id, changes));
  });
}

/**
 * Replaces a key; the previous one is revoked at once.
 *
 * @throws Refusal `not_found`, or `forbidden` if the key has scopes that the caller lacks
 */
export function rotateKey(
  { id, callerScopes, key, hash, hint }: RotateKey,
  job: JobContext,
): Promise<KeyWithSecret> {
  return runIdempotent(job, async (trx) => {
    const before = await lockKey(trx, job.projectId, id);
    refuseBeyond(callerScopes, before.scopes);
    const row = await patch(trx, job.projectId, id, { hash, hint });
    return { ...toKey(row), key: { sealed: key } };
  });
}

/** Revokes a key. @throws Refusal `not_found` */
export function revokeKey({ id }: { id: string }, job: JobContext): Promise<{ id: string }> {
  return runIdempotent(job, async (trx) => {
    refuseChanged(job.ifMatch, toKey(await lockKey(trx, job.projectId, id)));
    await patch(trx, job.projectId, id, { revoked_at: new Date() });
    return { id };
  });
}

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

async function lockKey(trx: Db, projectId: string, id: string): Promise<ApiKey> {
  const row = await ApiKey.of(projectId, trx)
    .where({ id })
    .whereNull('revoked_at')
    .forNoKeyUpdate()
    .first();
  if (row === undefined) throw new Refusal('not_found', `There is no API key "${id}"`);
  return row;
}

async function patch(
  trx: Db,
  projectId: string,
  id: string,
  columns: Partial<ApiKey>,
): Promise<ApiKey> {
  const [row] = await ApiKey.of(projectId, trx).where({ id }).patch(columns).returning('*');
  return row!;
}

export const keyHandlers = handlers(keyJobs, {
  'apiKey.create': createKey,
  'apiKey.update': updateKey,
  'apiKey.rotate': rotateKey,
  'apiKey.revoke': revokeKey,
});

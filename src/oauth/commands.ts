import { recordByPerson } from '../audit/write.ts';
import { Refusal } from '../errors.ts';
import { type Db, db, execute, rows } from '../infra/db.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import { refuseTooManyKeys } from '../keys/commands.ts';
import { ApiKey } from '../keys/model.ts';
import { handlers } from '../queues/job.ts';
import { changeRow } from '../workspaces/change-row.ts';
import { type Role, SCOPES_OF } from '../workspaces/roles.ts';
import { scopeBeyond } from '../workspaces/scopes.ts';
import { type NewTokens, oauthJobs, oauthMaintenanceJobs } from './jobs.ts';
import { OauthGrant } from './model.ts';
import { pruneOauth } from './prune.ts';
import { ACCESS_SECONDS, CODE_SECONDS, REFRESH_DAYS } from './tokens.ts';

/** Maximum number of clients that nobody has allowed. The oldest makes room for a new one. */
const MAX_UNUSED = 10_000;

const inSeconds = (seconds: number): Date => new Date(Date.now() + seconds * 1_000);

/**
 * Returns the scopes of a person in the workspace: none for a disabled account. Their role cannot
 * change until the transaction ends. Roles are locked before keys, as by a change of the role.
 */
async function lockScopes(trx: Db, projectId: string, userId: string): Promise<readonly string[]> {
  const [member] = await rows<{ role: Role }>(
    trx,
    `SELECT m.role FROM workspace_users m JOIN users u ON u.id = m.user_id
      WHERE m.project_id = ? AND m.user_id = ? AND u.disabled_at IS NULL FOR SHARE OF m`,
    [projectId, userId],
  );
  return member === undefined ? [] : SCOPES_OF[member.role];
}

/** @throws Refusal `forbidden` for scopes that a person lacks */
function refuseBeyond(own: readonly string[], requested: readonly string[]): void {
  if (scopeBeyond(own, requested) === undefined) return;
  throw new Refusal('forbidden', 'The person who allows this lacks these rights in the workspace');
}

/** Columns of a key and its grant that new tokens set. */
function columnsOf({ hash, hint, refreshHash }: NewTokens) {
  const expiresAt = inSeconds(REFRESH_DAYS * 86_400);
  return {
    key: { hash, hint, expires_at: inSeconds(ACCESS_SECONDS), renewable_until: expiresAt },
    grant: { refresh_hash: refreshHash, expires_at: expiresAt },
  };
}

async function revokeKeyOf(trx: Db, grant: OauthGrant): Promise<void> {
  const { project_id: projectId, user_id: userId, key_id: id } = grant;
  const revoked = await ApiKey.of(projectId, trx)
    .where({ id: id! })
    .whereNull('revoked_at')
    .patch({ revoked_at: new Date() });
  if (revoked === 0) return;
  const target = { kind: 'apiKey', id };
  await recordByPerson(trx, projectId, userId, { action: 'apiKey.revoke', target });
}

const recordUse = (trx: Db, clientId: string): Promise<number> =>
  execute(trx, 'UPDATE oauth_clients SET used_at = now() WHERE id = ?', [clientId]);

const expired = () => new Refusal('forbidden', 'The authorization has expired: ask for it again');

export const oauthHandlers = handlers(oauthJobs, {
  /** Adds a client, which belongs to no workspace. The job may run twice. */
  async 'oauth.register'({ id, name, redirectUris }) {
    await db().transaction(async (trx) => {
      await execute(
        trx,
        `INSERT INTO oauth_clients (id, name, redirect_uris) VALUES (?, ?, ?)
         ON CONFLICT DO NOTHING`,
        [id, name, redirectUris],
      );
      await execute(
        trx,
        // Without locks, which rows that OFFSET leaves out would get too.
        `WITH surplus AS (
           SELECT created_at FROM oauth_clients WHERE used_at IS NULL
            ORDER BY created_at DESC OFFSET ? LIMIT 1),
         old AS MATERIALIZED (
           SELECT c.id FROM oauth_clients c JOIN surplus s ON c.created_at <= s.created_at
            WHERE c.used_at IS NULL FOR UPDATE OF c SKIP LOCKED)
         DELETE FROM oauth_clients WHERE id IN (SELECT id FROM old)`,
        [MAX_UNUSED],
      );
    });
  },

  /**
   * Stores the consent of a person with its code.
   *
   * @throws Refusal `forbidden` for scopes that the person lacks, `not_found` without the client,
   *   `unprocessable_entity` if the workspace has too many keys
   */
  'oauth.consent': ({ id, clientId, userId, codeHash, codeChallenge, redirectUri, scopes }, job) =>
    runIdempotent(job, async (trx) => {
      const { projectId } = job;
      refuseBeyond(await lockScopes(trx, projectId, userId), scopes);
      await refuseTooManyKeys(trx, projectId);
      const client = 'SELECT id FROM oauth_clients WHERE id = ? FOR KEY SHARE';
      if ((await rows<object>(trx, client, [clientId])).length === 0) {
        throw new Refusal('not_found', `There is no client "${clientId}"`);
      }
      const columns = { id, client_id: clientId, user_id: userId, scopes };
      await OauthGrant.add(
        projectId,
        {
          ...columns,
          redirect_uri: redirectUri,
          code_challenge: codeChallenge,
          code_hash: codeHash,
          expires_at: inSeconds(CODE_SECONDS),
        },
        trx,
      );
      return { id };
    }),

  /**
   * Creates the key of a code. A code that was used before revokes its key instead (RFC 6749,
   * 4.1.2).
   *
   * @throws Refusal `not_found` or `forbidden` if the consent has ended; `unprocessable_entity` if
   *   the workspace has too many keys
   */
  'apiKey.authorize': ({ grantId, keyId, familyHash, ...tokens }, job) =>
    runIdempotent(job, async (trx) => {
      const { projectId } = job;
      const grant = await OauthGrant.lock(projectId, grantId, trx);
      if (grant.key_id !== null) {
        await revokeKeyOf(trx, grant);
        return { count: 0 };
      }
      if (grant.expires_at.getTime() <= Date.now()) throw expired();
      const { scopes, user_id, client_id } = grant;
      refuseBeyond(await lockScopes(trx, projectId, user_id), scopes);
      await refuseTooManyKeys(trx, projectId);
      const [client] = await rows<{ name: string }>(
        trx,
        'SELECT name FROM oauth_clients WHERE id = ?',
        [client_id],
      );
      const columns = columnsOf(tokens);
      const key = { id: keyId, name: client!.name, user_id, client_id, scopes, ...columns.key };
      await ApiKey.add(projectId, key, trx);
      const changes = { key_id: keyId, family_hash: familyHash, ...columns.grant };
      await OauthGrant.of(projectId, trx).where({ id: grantId }).patch(changes);
      await recordUse(trx, client_id);
      return { id: keyId, scopes };
    }),

  /**
   * Gives the key of a grant a new secret and expiry. A refresh token that was replaced before
   * revokes the key instead (OAuth 2.1, 4.3.1).
   *
   * @throws Refusal `not_found` or `forbidden` if the key or the refresh token has ended
   */
  'apiKey.renew': ({ grantId, sentHash, ...tokens }, job) =>
    runIdempotent(job, async (trx) => {
      const { projectId } = job;
      const grant = await OauthGrant.lock(projectId, grantId, trx);
      if (grant.refresh_hash !== sentHash) {
        await revokeKeyOf(trx, grant);
        return { count: 0 };
      }
      if (grant.expires_at.getTime() <= Date.now()) throw expired();
      const own = await lockScopes(trx, projectId, grant.user_id);
      const keys = ApiKey.of(projectId, trx);
      const key = await keys.where({ id: grant.key_id! }).forNoKeyUpdate().first();
      if (key === undefined || key.revoked_at !== null) throw expired();
      refuseBeyond(own, key.scopes);
      const columns = columnsOf(tokens);
      await changeRow(ApiKey.of(projectId, trx), key.id, columns.key);
      await OauthGrant.of(projectId, trx).where({ id: grantId }).patch(columns.grant);
      await recordUse(trx, grant.client_id);
      return { id: key.id, scopes: key.scopes };
    }),
});

export const oauthMaintenanceHandlers = handlers(oauthMaintenanceJobs, {
  'oauth.prune': pruneOauth,
});

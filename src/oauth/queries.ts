import { db, rows } from '../infra/db.ts';
import { hashApiKey, hashToken } from '../infra/secrets.ts';

/** A registered client. */
export interface OauthClient {
  id: string;
  name: string;
  redirectUris: string[];
}

/** Finds a client, which belongs to no workspace. */
export async function findClient(id: string): Promise<OauthClient | undefined> {
  const [client] = await rows<OauthClient>(
    db(),
    'SELECT id, name, redirect_uris AS "redirectUris" FROM oauth_clients WHERE id = ?',
    [id],
  );
  return client;
}

/** A grant as its code or its refresh token finds it. */
export interface FoundGrant {
  id: string;
  projectId: string;
  clientId: string;
  userId: string;
  scopes: string[];
  redirectUri: string;
  codeChallenge: string;
}

const GRANTS = `
  SELECT id, project_id AS "projectId", client_id AS "clientId", user_id AS "userId",
         scopes, redirect_uri AS "redirectUri", code_challenge AS "codeChallenge"
    FROM oauth_grants`;

/**
 * Finds a grant by its code. This, {@link findGrantOfFamily} and {@link findKeyOf} have no
 * workspace, which they find.
 */
export async function findGrantOfCode(code: string): Promise<FoundGrant | undefined> {
  const sql = `${GRANTS} WHERE code_hash = ?`;
  const [grant] = await rows<FoundGrant>(db(), sql, [hashToken(code)]);
  return grant;
}

/** Finds a grant by the shared half of its refresh tokens. */
export async function findGrantOfFamily(family: string): Promise<FoundGrant | undefined> {
  const sql = `${GRANTS} WHERE family_hash = ?`;
  const [grant] = await rows<FoundGrant>(db(), sql, [hashToken(family)]);
  return grant;
}

/** An API key of a client. */
export interface ClientKey {
  id: string;
  projectId: string;
  userId: string;
}

/**
 * Finds the valid key of a client by an access token, or by the shared half of a refresh token.
 *
 * @param family `undefined` if the token is no refresh token
 */
export async function findKeyOf(
  clientId: string,
  token: string,
  family: string | undefined,
): Promise<ClientKey | undefined> {
  const [key] = await rows<ClientKey>(
    db(),
    `SELECT k.id, k.project_id AS "projectId", k.user_id AS "userId" FROM api_keys k
      WHERE k.client_id = :clientId AND k.revoked_at IS NULL
        AND (k.hash = :hash OR k.id = (SELECT g.key_id FROM oauth_grants g
                                        WHERE g.family_hash = :familyHash))`,
    {
      clientId,
      hash: hashApiKey(token),
      familyHash: family === undefined ? null : hashToken(family),
    },
  );
  return key;
}

/** Finds a workspace of a person by its slug. */
export async function findOwnWorkspace(
  userId: string,
  slug: string,
): Promise<{ id: string; requiresSecondFactor: boolean } | undefined> {
  const [workspace] = await rows<{ id: string; requiresSecondFactor: boolean }>(
    db(),
    `SELECT w.id, w.require_second_factor AS "requiresSecondFactor" FROM workspaces w JOIN workspace_users m ON m.project_id = w.id
      WHERE w.slug = ? AND m.user_id = ?`,
    [slug, userId],
  );
  return workspace;
}

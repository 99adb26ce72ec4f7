import { type Db, execute, rows } from '../infra/db.ts';
import { scopeBeyond } from './scopes.ts';

/** Revokes the API keys of a person in a workspace that exceed these scopes. */
export async function endKeysBeyond(
  trx: Db,
  projectId: string,
  userId: string,
  scopes: readonly string[],
): Promise<void> {
  const keys = await rows<{ id: string; scopes: string[] }>(
    trx,
    `SELECT id, scopes FROM api_keys WHERE project_id = ? AND user_id = ? AND revoked_at IS NULL
      ORDER BY id FOR NO KEY UPDATE`,
    [projectId, userId],
  );
  const beyond = keys.filter((key) => scopeBeyond(scopes, key.scopes) !== undefined);
  await execute(
    trx,
    'UPDATE api_keys SET revoked_at = now() WHERE project_id = ? AND id = ANY(?)',
    [projectId, beyond.map(({ id }) => id)],
  );
}

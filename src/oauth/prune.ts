import { db, execute } from '../infra/db.ts';

/** Time for which a client that nobody has allowed is stored, in hours. */
const UNUSED_HOURS = 24;
/** Time for which a client without any grant is stored after its last token, in days. */
const IDLE_DAYS = 90;
/** Maximum number of rows that one statement changes. */
const CHUNK = 1_000;

/** Deletes ended grants, whose keys are revoked, and clients without a use. */
export async function pruneOauth(): Promise<void> {
  await inChunks(
    `WITH ended AS (
       DELETE FROM oauth_grants WHERE (project_id, id) IN
         (SELECT project_id, id FROM oauth_grants WHERE expires_at < now() LIMIT :chunk)
       RETURNING project_id, id, key_id),
     revoked AS (
       UPDATE api_keys k SET revoked_at = now() FROM ended e
        WHERE k.project_id = e.project_id AND k.id = e.key_id AND k.revoked_at IS NULL
       RETURNING k.id)
     SELECT id FROM ended`,
  );
  await inChunks(
    `DELETE FROM oauth_clients WHERE id IN
       (SELECT c.id FROM oauth_clients c
         WHERE coalesce(c.used_at + make_interval(days => ${IDLE_DAYS}),
                        c.created_at + make_interval(hours => ${UNUSED_HOURS})) < now()
           AND NOT EXISTS (SELECT FROM oauth_grants g WHERE g.client_id = c.id)
         LIMIT :chunk)`,
  );
}

async function inChunks(sql: string): Promise<void> {
  while ((await execute(db(), sql, { chunk: CHUNK })) === CHUNK);
}

import { newId } from '../ids.ts';
import { type Db, execute } from '../infra/db.ts';

/** Creates the service's default short domain unless it exists. Runs with the migrations. */
export async function ensureDefaultDomain(connection: Db, slug: string): Promise<void> {
  await execute(
    connection,
    `INSERT INTO domains (id, project_id, slug, verified, verification_token)
     SELECT ?, NULL, ?, true, '' WHERE NOT EXISTS (SELECT 1 FROM domains WHERE project_id IS NULL AND slug = ?)
     ON CONFLICT DO NOTHING`,
    [newId('domain'), slug, slug],
  );
}

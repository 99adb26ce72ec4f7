import { keysDb, rows } from '../infra/db.ts';
import type { Caller } from '../workspaces/api-keys.ts';
import type { IntegrationType } from './model.ts';

/** The connection that a delivery names, with its workspace. */
export interface NamedIntegration
  extends Pick<Caller, 'projectId' | 'workspaceSlug' | 'plan' | 'requestsPerMinute'> {
  /** Sealed secrets, one of which signs its deliveries. */
  secrets: string[];
}

/** Finds a connection, and its workspace, by the address of a delivery. */
export async function findIntegration(
  type: IntegrationType,
  id: string,
): Promise<NamedIntegration | undefined> {
  const [named] = await rows<NamedIntegration>(
    keysDb(),
    `SELECT i.project_id AS "projectId", w.slug AS "workspaceSlug", w.plan,
            w.requests_per_minute AS "requestsPerMinute",
            array_remove(ARRAY[i.secret, CASE WHEN i.previous_secret_until > now()
                                              THEN i.previous_secret END], NULL) AS secrets
       FROM integrations i JOIN workspaces w ON w.id = i.project_id
      WHERE i.id = :id AND i.type = :type`,
    { id, type },
  );
  return named;
}

import { type Db, rows } from '../infra/db.ts';
import type { StoredLimits } from './limits.ts';
import type { Role } from './roles.ts';

/** A membership that has ended. */
export interface EndedMembership {
  projectId: string;
  role: Role;
  limits: StoredLimits | null;
}

/**
 * Ends memberships of a person. Their limits stay in `ended_limits`: a person who leaves and comes
 * back by the groups of a provider, without a decision of the workspace, must not lose them.
 *
 * @param projectId the workspace to leave; absent: all of them
 */
export const endMemberships = (
  trx: Db,
  userId: string,
  projectId?: string,
): Promise<EndedMembership[]> =>
  rows<EndedMembership>(
    trx,
    `WITH ended AS (
       DELETE FROM workspace_users
        WHERE user_id = :userId AND (:projectId::text IS NULL OR project_id = :projectId)
       RETURNING project_id, user_id, role, limits),
     outdated AS (
       DELETE FROM ended_limits AS l USING ended
        WHERE l.project_id = ended.project_id AND l.user_id = ended.user_id AND ended.limits IS NULL),
     kept AS (
       INSERT INTO ended_limits (project_id, user_id, limits)
       SELECT project_id, user_id, limits FROM ended WHERE limits IS NOT NULL
       ON CONFLICT (project_id, user_id) DO UPDATE SET limits = excluded.limits)
     SELECT project_id AS "projectId", role, limits FROM ended ORDER BY project_id`,
    { userId, projectId: projectId ?? null },
  );

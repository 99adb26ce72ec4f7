import { recordByPerson } from '../audit/write.ts';
import { type Db, rows } from '../infra/db.ts';

/** Adds a row about a change of an account to the audit log of each workspace of its person. */
export async function recordInWorkspaces(trx: Db, userId: string, action: string): Promise<void> {
  const memberships = await rows<{ projectId: string }>(
    trx,
    'SELECT project_id AS "projectId" FROM workspace_users WHERE user_id = ? ORDER BY project_id',
    [userId],
  );
  for (const { projectId } of memberships) {
    await recordByPerson(trx, projectId, userId, {
      action,
      target: { kind: 'member', id: userId },
    });
  }
}

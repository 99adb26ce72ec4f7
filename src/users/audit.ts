import { recordByOperator, recordByPerson } from '../audit/write.ts';
import { type Db, rows } from '../infra/db.ts';

/** Adds a row about a change of an account to the audit log of each workspace of its person. */
export async function recordInWorkspaces(
  trx: Db,
  userId: string,
  action: string,
  by: 'person' | 'operator' = 'person',
): Promise<void> {
  const memberships = await rows<{ projectId: string }>(
    trx,
    'SELECT project_id AS "projectId" FROM workspace_users WHERE user_id = ? ORDER BY project_id',
    [userId],
  );
  const write = { action, target: { kind: 'member', id: userId } };
  for (const { projectId } of memberships) {
    if (by === 'operator') await recordByOperator(trx, projectId, write);
    else await recordByPerson(trx, projectId, userId, write);
  }
}

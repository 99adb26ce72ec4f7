import { Refusal } from '../errors.ts';
import { refuseChanged } from '../http/etag.ts';
import { type Db, rows } from '../infra/db.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import type { JobContext } from '../queues/definition.ts';
import { handlers } from '../queues/job.ts';
import { endKeysBeyond } from '../workspaces/keys-beyond.ts';
import { type Role, SCOPES_OF } from '../workspaces/roles.ts';
import { memberJobs } from './jobs.ts';
import { findMember } from './queries.ts';
import { toMember } from './record.ts';

/**
 * Locks all members of the workspace, so that two owners who leave at once cannot leave it without
 * one.
 *
 * @param role the person's new role; `undefined` for none
 */
async function lockMember(
  trx: Db,
  { projectId, ifMatch }: JobContext,
  userId: string,
  role: Role | undefined,
): Promise<void> {
  const people = await rows<{ user_id: string; role: Role }>(
    trx,
    'SELECT user_id, role FROM workspace_users WHERE project_id = ? ORDER BY user_id FOR UPDATE',
    [projectId],
  );
  const member = await findMember(projectId, userId, trx);
  if (member === undefined) {
    throw new Refusal('not_found', `There is no member "${userId}"`);
  }
  refuseChanged(ifMatch, toMember(member));
  const others = people.filter((one) => one.role === 'owner' && one.user_id !== userId);
  if (member.role === 'owner' && role !== 'owner' && others.length === 0) {
    throw new Refusal('conflict', 'A workspace must have an owner: choose another owner first');
  }
}

export const memberHandlers = handlers(memberJobs, {
  /**
   * Changes the role of a person, and revokes their API keys of the workspace that exceed the new
   * role.
   *
   * @throws Refusal `not_found`, or `conflict` for the last owner
   */
  'member.update': ({ userId, changes: { role } }, job) =>
    runIdempotent(job, async (trx) => {
      const { projectId } = job;
      await lockMember(trx, job, userId, role);
      await trx('workspace_users')
        .where({ project_id: projectId, user_id: userId })
        .update({ role });
      await endKeysBeyond(trx, projectId, userId, SCOPES_OF[role]);
      return toMember((await findMember(projectId, userId, trx))!);
    }),

  /**
   * Removes a person from a workspace, and revokes their API keys there.
   *
   * @throws Refusal `not_found`, or `conflict` for the last owner
   */
  'member.remove': ({ userId }, job) =>
    runIdempotent(job, async (trx) => {
      const { projectId } = job;
      await lockMember(trx, job, userId, undefined);
      await trx('workspace_users').where({ project_id: projectId, user_id: userId }).delete();
      await endKeysBeyond(trx, projectId, userId, []);
      return { id: userId };
    }),
});

import { Refusal } from '../errors.ts';
import { refuseChanged } from '../http/etag.ts';
import { type Db, rows } from '../infra/db.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import type { JobContext } from '../queues/definition.ts';
import { handlers } from '../queues/job.ts';
import { endKeysBeyond } from '../workspaces/keys-beyond.ts';
import {
  refuseLiftedLimits,
  refuseOwnersLimits,
  refuseUnknownPlaces,
} from '../workspaces/limits.ts';
import { endMemberships } from '../workspaces/memberships.ts';
import { type Role, SCOPES_OF } from '../workspaces/roles.ts';
import { type MemberChanges, memberJobs } from './jobs.ts';
import { findMember, type MemberRow } from './queries.ts';
import { toMember } from './record.ts';

/**
 * Returns the limits of a person after a change; becoming an owner ends them.
 *
 * @throws Refusal `unprocessable_entity` for limits of an owner
 */
function limitsAfter({ limits }: MemberRow, role: Role, changes: MemberChanges) {
  refuseOwnersLimits(role, changes.limits);
  if (role === 'owner') return null;
  return changes.limits === undefined ? limits : changes.limits;
}

/**
 * Locks all members of the workspace, so that two owners who leave at once cannot leave it without
 * one.
 *
 * @param roleAfter returns the person's role after the change; `undefined` for none
 */
async function lockMember(
  trx: Db,
  { projectId, ifMatch }: JobContext,
  userId: string,
  roleAfter: (member: MemberRow) => Role | undefined,
): Promise<MemberRow> {
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
  if (member.role === 'owner' && roleAfter(member) !== 'owner' && others.length === 0) {
    throw new Refusal('conflict', 'A workspace must have an owner: choose another owner first');
  }
  return member;
}

export const memberHandlers = handlers(memberJobs, {
  /**
   * Changes the role or the limits of a person, and revokes their API keys of the workspace that
   * exceed the role. Limits hold for all of their keys.
   *
   * @throws Refusal `not_found`; `conflict` for the last owner; `forbidden` for other limits of a
   *   person whose role has scopes that the caller lacks; `unprocessable_entity` for limits of an
   *   owner, or to unknown folders or domains
   */
  'member.update': ({ userId, changes, callerScopes = [] }, job) =>
    runIdempotent(job, async (trx) => {
      const { projectId } = job;
      const roleAfter = (member: MemberRow) => changes.role ?? member.role;
      const member = await lockMember(trx, job, userId, roleAfter);
      const role = roleAfter(member);
      const limits = limitsAfter(member, role, changes);
      if (changes.limits !== undefined) {
        refuseLiftedLimits(callerScopes, member.limits, SCOPES_OF[role]);
      }
      await refuseUnknownPlaces(trx, projectId, changes.limits);
      await trx('workspace_users')
        .where({ project_id: projectId, user_id: userId })
        .update({ role, limits });
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
      await lockMember(trx, job, userId, () => undefined);
      await endMemberships(trx, userId, projectId);
      await endKeysBeyond(trx, projectId, userId, []);
      return { id: userId };
    }),
});

import { recordByOperator } from '../audit/write.ts';
import { type Db, execute, rows } from '../infra/db.ts';
import type { RoleMapping } from '../setting-parsers.ts';
import { endKeysBeyond } from '../workspaces/keys-beyond.ts';
import { endMemberships } from '../workspaces/memberships.ts';
import { ROLES, type Role, SCOPES_OF } from '../workspaces/roles.ts';

/*
 * Memberships that follow the groups of a person at the OpenID Connect provider (OIDC_ROLE_MAP).
 * Each sign-in adds, changes and removes those; memberships that were given by hand stay.
 */

/** A role that a person has by their groups. */
export type Grant = Pick<RoleMapping, 'workspace' | 'role'>;

const rankOf = (role: Role): number => ROLES.indexOf(role);

/** Returns the highest role in each workspace that groups give. */
export function grantsOf(groups: readonly string[], map: readonly RoleMapping[]): Grant[] {
  const roles = new Map<string, Role>();
  for (const { group, workspace, role } of map) {
    if (!groups.includes(group)) continue;
    const present = roles.get(workspace);
    if (present === undefined || rankOf(role) < rankOf(present)) roles.set(workspace, role);
  }
  return [...roles].map(([workspace, role]) => ({ workspace, role }));
}

/** Reads the groups in a claim: a list of texts, or a single one. */
export function groupsIn(claim: unknown): string[] {
  const values: unknown[] = Array.isArray(claim) ? claim : [claim];
  return values.filter((value) => typeof value === 'string');
}

interface MemberRow {
  userId: string;
  role: Role;
  fromGroups: boolean;
}

/**
 * Makes the mapped memberships of a person those of their groups. The last owner of a workspace
 * stays its owner.
 *
 * @param grants those of unknown workspaces have no effect
 */
export async function applyGrants(
  trx: Db,
  userId: string,
  grants: readonly Grant[],
): Promise<void> {
  const workspaces = await rows<{ id: string; slug: string }>(
    trx,
    `SELECT id, slug FROM workspaces w
      WHERE slug = ANY(:slugs)
         OR EXISTS (SELECT FROM workspace_users m
                     WHERE m.project_id = w.id AND m.user_id = :userId AND m.from_groups)
      ORDER BY id`,
    { slugs: grants.map(({ workspace }) => workspace), userId },
  );
  for (const { id, slug } of workspaces) {
    const role = grants.find(({ workspace }) => workspace === slug)?.role;
    await applyRole(trx, { projectId: id, userId, role });
  }
}

/** The role in a workspace that a person has by their groups; `undefined` for none. */
interface GroupRole {
  projectId: string;
  userId: string;
  role: Role | undefined;
}

/** Returns true if a membership is not the one that groups give. */
async function differs(trx: Db, { projectId, userId, role }: GroupRole): Promise<boolean> {
  const [member] = await rows<Omit<MemberRow, 'userId'>>(
    trx,
    `SELECT role, from_groups AS "fromGroups" FROM workspace_users
      WHERE project_id = ? AND user_id = ?`,
    [projectId, userId],
  );
  return member === undefined ? role !== undefined : member.fromGroups && member.role !== role;
}

async function applyRole(trx: Db, change: GroupRole): Promise<void> {
  // Most sign-ins change nothing, and must not wait for each other.
  if (!(await differs(trx, change))) return;
  const { projectId, userId, role } = change;
  // All members are locked, as by other changes of members: one owner must remain.
  const people = await rows<MemberRow>(
    trx,
    `SELECT user_id AS "userId", role, from_groups AS "fromGroups" FROM workspace_users
      WHERE project_id = ? ORDER BY user_id FOR UPDATE`,
    [projectId],
  );
  const member = people.find((one) => one.userId === userId);
  const target = { kind: 'member', id: userId };
  if (member === undefined) {
    if (role === undefined) return;
    await execute(
      trx,
      `WITH kept AS (
         DELETE FROM ended_limits WHERE project_id = :projectId AND user_id = :userId RETURNING limits)
       INSERT INTO workspace_users (project_id, user_id, role, limits, from_groups)
       VALUES (:projectId, :userId, :role,
               CASE WHEN :role <> 'owner' THEN (SELECT limits FROM kept) END, true)`,
      { projectId, userId, role },
    );
    await recordByOperator(trx, projectId, { action: 'member.create', target });
    return;
  }
  if (!member.fromGroups || member.role === role) return;
  const owners = people.filter((one) => one.role === 'owner');
  if (member.role === 'owner' && owners.length === 1) return;
  if (role === undefined) {
    await endMemberships(trx, userId, projectId);
    await endKeysBeyond(trx, projectId, userId, []);
    await recordByOperator(trx, projectId, { action: 'member.remove', target });
    return;
  }
  const ofOwner = role === 'owner' ? { limits: null } : {};
  await trx('workspace_users')
    .where({ project_id: projectId, user_id: userId })
    .update({ role, ...ofOwner });
  await endKeysBeyond(trx, projectId, userId, SCOPES_OF[role]);
  await recordByOperator(trx, projectId, { action: 'member.update', target, fields: ['role'] });
}

import { type Db, rows } from '../infra/db.ts';
import { byText, positionSql, type Slice } from '../infra/keyset.ts';
import { sqlSlice } from '../infra/sql-slice.ts';
import type { StoredLimits } from '../workspaces/limits.ts';
import type { Paging } from '../workspaces/lists.ts';
import type { Role } from '../workspaces/roles.ts';

/** A member of a workspace. */
export interface MemberRow {
  user_id: string;
  email: string;
  name: string;
  role: Role;
  limits: StoredLimits | null;
  joined_at: Date;
  last_seen_at: Date | null;
}

/** The order of a list of members. */
const BY_NAME = { keys: [byText('lower(u.name)'), byText('m.user_id')], direction: 'asc' } as const;

/**
 * SQL: members, with the last time of a sign-in, a use of the console, or a use of one of their
 * keys of the workspace.
 */
const MEMBERS = `
  SELECT ${positionSql(BY_NAME)}, m.user_id, u.email, u.name, m.role, m.limits, m.joined_at,
         greatest(u.last_sign_in_at,
           (SELECT max(s.last_used_at) FROM sessions s WHERE s.user_id = u.id),
           (SELECT max(k.last_used_at) FROM api_keys k WHERE k.project_id = m.project_id AND k.user_id = u.id)
         ) AS last_seen_at
    FROM workspace_users m JOIN users u ON u.id = m.user_id
   WHERE m.project_id = ?`;

/** Reads a page of the members of a workspace, by name. */
export const listMembers = (
  projectId: string,
  { page, pageSize: size, after }: Paging,
): Promise<Slice<MemberRow>> => sqlSlice(MEMBERS, [projectId], BY_NAME, { page, size, after });

/** Reads a member of a workspace. */
export async function findMember(
  projectId: string,
  userId: string,
  connection: Db,
): Promise<MemberRow | undefined> {
  const [member] = await rows<MemberRow>(connection, `${MEMBERS} AND m.user_id = ?`, [
    projectId,
    userId,
  ]);
  return member;
}

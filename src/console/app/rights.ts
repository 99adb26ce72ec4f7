import type { Role } from '../api/people.ts';

/** Views and actions for owners alone; docs/api.md has the table of roles. The API checks each request by itself. */
const OWNERS_ALONE = /^(?:audit\.read|(?:workspace|members|keys)\.write)$/;
const NOT_FOR_VIEWERS = /^(?:keys|webhooks|jobs|audit)\.|\.write$/;

/** True when a role has a scope: controls that would be refused are not shown. */
export function mayDo(role: Role, scope: string): boolean {
  if (role === 'owner') return true;
  return !(role === 'member' ? OWNERS_ALONE : NOT_FOR_VIEWERS).test(scope);
}

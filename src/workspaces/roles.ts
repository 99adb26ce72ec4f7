import { Refusal } from '../errors.ts';
import { SCOPES, type Scope, scopeBeyond } from './scopes.ts';

/** Roles of people in a workspace, highest first. */
export const ROLES = ['owner', 'member', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/** Scopes that members lack. */
const OWNERS_ONLY: ReadonlySet<Scope> = new Set([
  'workspace.write',
  'members.write',
  'keys.write',
  'audit.read',
]);

/** Scopes for reading that viewers lack. */
const NOT_VIEWED: ReadonlySet<Scope> = new Set([
  'keys.read',
  'webhooks.read',
  'jobs.read',
  'audit.read',
]);

/**
 * Scopes of each role. A person with the role has the same rights as an API key with these scopes.
 */
export const SCOPES_OF: Readonly<Record<Role, readonly string[]>> = {
  owner: ['*'],
  member: SCOPES.filter((scope) => !OWNERS_ONLY.has(scope)),
  viewer: SCOPES.filter((scope) => scope.endsWith('.read') && !NOT_VIEWED.has(scope)),
};

/**
 * Refuses to grant a role with rights that the granting person lacks.
 *
 * @throws Refusal `forbidden`
 */
export function refuseRoleBeyond(callerScopes: readonly string[], role: Role): void {
  const scope = scopeBeyond(callerScopes, SCOPES_OF[role]);
  if (scope === undefined) return;
  throw new Refusal('forbidden', `role must not be "${role}", which may do more than the caller`);
}

import { Refusal } from '../errors.ts';
import { SCOPES, type Scope, scopeBeyond } from './scopes.ts';

/** Roles of people in a workspace, highest first. */
export const ROLES = ['owner', 'member', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/** Scopes that a member doesn't have. */
const OWNERS_ONLY: ReadonlySet<Scope> = new Set([
  'workspace.write',
  'members.write',
  'keys.write',
  'audit.read',
]);

/** Scopes to read that a viewer doesn't have. */
const NOT_VIEWED: ReadonlySet<Scope> = new Set([
  'keys.read',
  'webhooks.read',
  'jobs.read',
  'audit.read',
]);

/** The scopes of a role: what a person with it may do, by the same rules as an API key with these scopes. */
export const SCOPES_OF: Readonly<Record<Role, readonly string[]>> = {
  owner: ['*'],
  member: SCOPES.filter((scope) => !OWNERS_ONLY.has(scope)),
  viewer: SCOPES.filter((scope) => scope.endsWith('.read') && !NOT_VIEWED.has(scope)),
};

/**
 * People cannot give a role that has rights they lack.
 *
 * @throws Refusal `forbidden`
 */
export function refuseRoleBeyond(own: readonly string[], role: Role): void {
  const scope = scopeBeyond(own, SCOPES_OF[role]);
  if (scope === undefined) return;
  throw new Refusal('forbidden', `role must not be "${role}", which may do more than the caller`);
}

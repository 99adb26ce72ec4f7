import type { Schemas } from '../api/client.ts';

type Role = Schemas['Membership']['role'];

/** Names of the roles, for use within a sentence. */
export const ROLE_NAMES: Readonly<Record<Role, string>> = /* text */ {
  owner: 'owner',
  member: 'member',
  viewer: 'viewer',
};

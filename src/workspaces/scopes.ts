/** Scopes of API keys. `*` is all of them. */
export const SCOPES = [
  'links.read',
  'links.write',
  'qrcodes.read',
  'qrcodes.write',
  'tags.read',
  'tags.write',
  'folders.read',
  'folders.write',
  'views.read',
  'views.write',
  'pages.read',
  'pages.write',
  'domains.read',
  'domains.write',
  'analytics.read',
  'events.read',
  'conversions.write',
  'customers.read',
  'customers.write',
  'webhooks.read',
  'webhooks.write',
  'jobs.read',
  'imports.read',
  'imports.write',
  'workspace.read',
  'workspace.write',
  'members.read',
  'members.write',
  'keys.read',
  'keys.write',
  'audit.read',
] as const;
export type Scope = (typeof SCOPES)[number];

/** True when a key with these scopes may do this: who may write may also read what they write. */
export function includesScope(scopes: readonly string[], scope: Scope): boolean {
  return (
    scopes.includes('*') ||
    scopes.includes(scope) ||
    scopes.includes(scope.replace(/\.read$/, '.write'))
  );
}

/**
 * The first of these scopes that a caller with others may not hand on; `undefined` where all are theirs. To hand on `*`
 * takes every scope.
 */
export function scopeBeyond(own: readonly string[], wanted: readonly string[]): string | undefined {
  const hasAll = SCOPES.every((scope) => includesScope(own, scope));
  if (hasAll) return undefined;
  return wanted.find((scope) => scope === '*' || !includesScope(own, scope as Scope));
}

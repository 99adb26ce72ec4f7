/** Scopes of API keys. `*` stands for all of them. */
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
  'analytics.write',
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

/** True when these scopes include another. A scope for writing includes the one for reading. */
export function includesScope(scopes: readonly string[], scope: Scope): boolean {
  return (
    scopes.includes('*') ||
    scopes.includes(scope) ||
    scopes.includes(scope.replace(/\.read$/, '.write'))
  );
}

/**
 * Returns the first of the requested scopes that a caller lacks; `undefined` if the caller has all.
 * `*` requires every scope.
 */
export function scopeBeyond(
  callerScopes: readonly string[],
  requested: readonly string[],
): string | undefined {
  const hasAll = SCOPES.every((scope) => includesScope(callerScopes, scope));
  if (hasAll) return undefined;
  return requested.find((scope) => scope === '*' || !includesScope(callerScopes, scope as Scope));
}

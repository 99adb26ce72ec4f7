import type { Schemas } from '../../api/client.ts';

export type Scope = Schemas['Scope'];

/** All scopes except `*`, with the kind of record that each covers. */
const KINDS: Readonly<Record<Exclude<Scope, '*'>, string>> = {
  'links.read': 'Links',
  'links.write': 'Links',
  'qrcodes.read': 'QR codes',
  'qrcodes.write': 'QR codes',
  'tags.read': 'Tags',
  'tags.write': 'Tags',
  'folders.read': 'Folders',
  'folders.write': 'Folders',
  'views.read': 'Views',
  'views.write': 'Views',
  'pages.read': 'Pages',
  'pages.write': 'Pages',
  'domains.read': 'Domains',
  'domains.write': 'Domains',
  'analytics.read': 'Analytics',
  'analytics.write': 'Analytics',
  'events.read': 'Events',
  'conversions.write': 'Conversions',
  'customers.read': 'Customers',
  'customers.write': 'Customers',
  'webhooks.read': 'Webhooks',
  'webhooks.write': 'Webhooks',
  'imports.read': 'Imports',
  'imports.write': 'Imports',
  'jobs.read': 'Jobs',
  'workspace.read': 'Workspace',
  'workspace.write': 'Workspace',
  'members.read': 'Members',
  'members.write': 'Members',
  'keys.read': 'API keys',
  'keys.write': 'API keys',
  'audit.read': 'Audit log',
};

/** Kinds of records with their scopes. */
export const RESOURCES = [...new Set(Object.values(KINDS))].map((label) => {
  const scopes = (Object.keys(KINDS) as (keyof typeof KINDS)[]).filter(
    (scope) => KINDS[scope] === label,
  );
  return {
    label,
    read: scopes.find((scope) => scope.endsWith('.read')),
    write: scopes.find((scope) => scope.endsWith('.write')),
  };
});

/**
 * Summarizes the scopes of a key: "Full access", "Links, Tags (read)"; of a publishable key, its
 * sites.
 */
export function summaryOf({ scopes, type, origins }: Schemas['ApiKey']): string {
  if (type === 'publishable') return shortened(origins.map((origin) => new URL(origin).host));
  if (scopes.includes('*')) return 'Full access';
  const parts = RESOURCES.flatMap(({ label, read, write }) => {
    if (write !== undefined && scopes.includes(write)) return [label];
    return read !== undefined && scopes.includes(read) ? [/* text */ `${label} (read)`] : [];
  });
  return shortened(parts);
}

function shortened(parts: readonly string[]): string {
  const shown = parts.slice(0, 3).join(', ');
  return parts.length > 3 ? `${shown} and ${parts.length - 3} more` : shown;
}

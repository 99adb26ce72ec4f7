import type { Schemas } from '../../api/client.ts';

export type Scope = Schemas['Scope'];

/** A kind of record that keys have rights to, and the scopes of these. */
interface Resource {
  label: string;
  read?: Scope;
  write?: Scope;
}

/** All scopes but `*`, by what people call them. */
export const RESOURCES: readonly Resource[] = [
  { label: 'Links', read: 'links.read', write: 'links.write' },
  { label: 'QR codes', read: 'qrcodes.read', write: 'qrcodes.write' },
  { label: 'Tags', read: 'tags.read', write: 'tags.write' },
  { label: 'Folders', read: 'folders.read', write: 'folders.write' },
  { label: 'Views', read: 'views.read', write: 'views.write' },
  { label: 'Pages', read: 'pages.read', write: 'pages.write' },
  { label: 'Domains', read: 'domains.read', write: 'domains.write' },
  { label: 'Analytics', read: 'analytics.read' },
  { label: 'Events', read: 'events.read' },
  { label: 'Conversions', write: 'conversions.write' },
  { label: 'Customers', read: 'customers.read', write: 'customers.write' },
  { label: 'Webhooks', read: 'webhooks.read', write: 'webhooks.write' },
  { label: 'Imports', read: 'imports.read', write: 'imports.write' },
  { label: 'Jobs', read: 'jobs.read' },
  { label: 'Workspace', read: 'workspace.read', write: 'workspace.write' },
  { label: 'Members', read: 'members.read', write: 'members.write' },
  { label: 'API keys', read: 'keys.read', write: 'keys.write' },
  { label: 'Audit log', read: 'audit.read' },
];

/** Scopes of a key in a few words: "Full access", "Links, Tags (read)". */
export function summaryOf(scopes: readonly Scope[]): string {
  if (scopes.includes('*')) return 'Full access';
  const parts = RESOURCES.flatMap(({ label, read, write }) => {
    if (write !== undefined && scopes.includes(write)) return [label];
    return read !== undefined && scopes.includes(read) ? [`${label} (read)`] : [];
  });
  const shown = parts.slice(0, 3).join(', ');
  return parts.length > 3 ? `${shown} and ${parts.length - 3} more` : shown;
}

/** What an API key may do. `*` is all of it. */
export const SCOPES = [
  'links.read',
  'links.write',
  'qrcodes.read',
  'qrcodes.write',
  'tags.read',
  'tags.write',
  'folders.read',
  'folders.write',
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
] as const;
export type Scope = (typeof SCOPES)[number];

/** Groups of the reference with their descriptions, in order. */
export const TAGS = {
  Links:
    'Short links: create, change, find, count and delete them, one at a time or up to 100 at once.',
  'QR codes': 'QR codes with a short link or fixed content, their appearance and their images.',
  Templates: 'Saved appearances of QR codes.',
  Tags: 'Labels of links and QR codes.',
  Folders: 'Folders of links and QR codes. A link or QR code is in at most one.',
  'UTM templates': 'Values for the UTM parameters of links, under a name.',
  Views: 'Filters and order of the lists of links and QR codes, under a name.',
  Pages: 'Pages that visitors see before a destination, with an optional form.',
  Metatags: 'Titles, descriptions and images of any web page.',
  Domains: 'Domains of short links, and the proof that a workspace owns them.',
  Conversions: 'Clicks, leads and sales that other systems report.',
  Customers: 'Customers to whom leads and sales are attributed.',
  Events: 'Clicks, scans, page views, leads and sales, one by one.',
  Analytics: 'Counts of events, by time or by attribute.',
  Imports: 'Links from CSV files: check a file, import it, follow its progress, and undo it.',
  Exports: 'Links and events as CSV or NDJSON files, and whole workspaces.',
  Webhooks: 'Addresses that receive events, and the log of deliveries to them.',
  Workspace: 'The workspace itself: its settings, limits and use.',
  Members: 'The people of a workspace, their roles, and invitations.',
  'API keys': 'The keys with which other systems use the API, and their scopes.',
  'Audit log': 'Who changed what in a workspace, and when.',
  Users: 'People: signing in, their sessions and their workspaces.',
  Administration:
    'Processes, queues, dead letters, abuse reports, blocked hosts and links, for operators of the installation.',
  Jobs: 'Results of requests that were answered with 202.',
} as const;

export type Tag = keyof typeof TAGS;

/** Groups of the reference with their descriptions, in order. */
export const TAGS = {
  Links:
    'Short links: create, change, find, count and delete them, one at a time or up to 100 at once.',
  'QR codes': 'QR codes with a short link or fixed content, their appearance and their images.',
  Templates: 'Saved appearances of QR codes.',
  Fonts: 'Fonts of the workspace for the texts of QR codes.',
  Trash: 'Deleted links and QR codes, which can be restored for 30 days.',
  Tags: 'Labels of links and QR codes.',
  Folders: 'Folders of links and QR codes. A link or QR code is in at most one.',
  'UTM templates': 'Saved values for the UTM parameters of links.',
  Views: 'Saved filters and order of the lists of links and QR codes.',
  Pages: 'Pages that visitors see before a destination, with an optional form.',
  Metatags: 'Titles, descriptions and images of any web page.',
  Domains: 'Domains of short links, and their verification.',
  Conversions: 'Clicks, leads, sales and refunds that other systems report.',
  Integrations: 'Connections to payment processors, whose webhooks are recorded as conversions.',
  Customers: 'Customers who have leads and sales.',
  Events: 'Clicks, scans, page views, leads, sales and refunds, one by one.',
  Analytics: 'Counts of events, by time or by attribute.',
  'Shared reports': 'Analytics that people open by a URL, without an account.',
  Imports: 'Imports of links: check a file, import it, follow its progress, and undo it.',
  Exports: 'Links and events as CSV or NDJSON files, images of QR codes, and whole workspaces.',
  Webhooks: 'URLs that receive events, and the log of deliveries to them.',
  Destinations: 'Web analytics and streams that get clicks, scans, leads, sales and refunds.',
  Workspace: 'The workspace itself: its settings, limits and usage.',
  Members: 'The people of a workspace, their roles, and invitations.',
  'API keys': 'API keys of other systems, and their scopes.',
  'Audit log': 'Who changed what in a workspace, and when.',
  Users: 'People: sign-in, sessions and workspaces.',
  Administration:
    'Processes, queues, dead letters, abuse reports, blocked hosts and links, for operators of the installation.',
  Jobs: 'Results of requests with the response 202.',
} as const;

export type Tag = keyof typeof TAGS;

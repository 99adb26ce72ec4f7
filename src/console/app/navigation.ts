import {
  Activity,
  ChartNoAxesColumn,
  FileUp,
  Globe,
  Link2,
  List,
  type LucideIcon,
  PanelTop,
  QrCode,
  Settings,
  Tags,
  Users,
  Webhook,
} from 'lucide-react';

/** An entry of the navigation, and of the command palette. */
export interface Destination {
  /** Route, seen from the workspace. */
  to:
    | '/$workspace/links'
    | '/$workspace/qrcodes'
    | '/$workspace/analytics'
    | '/$workspace/live'
    | '/$workspace/events'
    | '/$workspace/domains'
    | '/$workspace/labels'
    | '/$workspace/pages'
    | '/$workspace/customers'
    | '/$workspace/webhooks'
    | '/$workspace/imports'
    | '/$workspace/settings';
  label: string;
  icon: LucideIcon;
  /** Second key after `g`, which leads there. */
  key: string;
  /** Scope without which it isn't shown. */
  scope: string;
  /** Heading under which the navigation has it; the first ones have none. */
  group?: (typeof GROUPS)[number];
}

/** Headings of the navigation, in their order. */
export const GROUPS = ['Insights', 'Library', 'Workspace'] as const;

/** All views of a workspace, in the order of the navigation. Each has its route in `router.tsx`. */
export const DESTINATIONS: readonly Destination[] = [
  { to: '/$workspace/links', label: 'Links', icon: Link2, key: 'l', scope: 'links.read' },
  { to: '/$workspace/qrcodes', label: 'QR codes', icon: QrCode, key: 'q', scope: 'qrcodes.read' },
  {
    to: '/$workspace/analytics',
    label: 'Analytics',
    icon: ChartNoAxesColumn,
    key: 'a',
    scope: 'analytics.read',
    group: 'Insights',
  },
  {
    to: '/$workspace/live',
    label: 'Live',
    icon: Activity,
    key: 'v',
    scope: 'events.read',
    group: 'Insights',
  },
  {
    to: '/$workspace/events',
    label: 'Events',
    icon: List,
    key: 'e',
    scope: 'events.read',
    group: 'Insights',
  },
  {
    to: '/$workspace/customers',
    label: 'Customers',
    icon: Users,
    key: 'u',
    scope: 'customers.read',
    group: 'Insights',
  },
  {
    to: '/$workspace/domains',
    label: 'Domains',
    icon: Globe,
    key: 'd',
    scope: 'domains.read',
    group: 'Library',
  },
  {
    to: '/$workspace/labels',
    label: 'Tags and folders',
    icon: Tags,
    key: 't',
    scope: 'tags.read',
    group: 'Library',
  },
  {
    to: '/$workspace/pages',
    label: 'Pages',
    icon: PanelTop,
    key: 'p',
    scope: 'pages.read',
    group: 'Library',
  },
  {
    to: '/$workspace/webhooks',
    label: 'Webhooks',
    icon: Webhook,
    key: 'w',
    scope: 'webhooks.read',
    group: 'Workspace',
  },
  {
    to: '/$workspace/imports',
    label: 'Imports',
    icon: FileUp,
    key: 'i',
    scope: 'imports.read',
    group: 'Workspace',
  },
  {
    to: '/$workspace/settings',
    label: 'Settings',
    icon: Settings,
    key: 's',
    scope: 'workspace.read',
    group: 'Workspace',
  },
];

/** The view of a workspace that a path belongs to: `/acme/pages/page_1` to that of pages. */
export const destinationAt = (path: string): Destination | undefined => {
  const [, , view] = path.split('/');
  return DESTINATIONS.find(({ to }) => to === `/$workspace/${view}`);
};

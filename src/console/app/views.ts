import { lazyRouteComponent, type RouteComponent } from '@tanstack/react-router';
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
  Trash2,
  Users,
  Webhook,
} from 'lucide-react';
import { type EventQuery, readEventQuery } from '../analytics/event-query.ts';
import { loadPart } from '../api/reachability.ts';
import type { SettingsView } from './settings-views.ts';
import type { Scope } from './workspace.tsx';

/*
 * Every view of the console. Routes, navigation, settings links, the command palette and the views
 * that test/console/views-flows.ts visits all come from this table: a new view is one row here and
 * a file in its area.
 */

/** Headings of the navigation in display order. */
export const GROUPS = ['Insights', 'Library', 'Workspace'] as const;

/** The row of a view; its key is the route. */
interface PlainView {
  /** Component of the view; its file loads when the view first opens. */
  page: RouteComponent;
  /** Parses the search parameters of the URL. */
  search?(search: Record<string, unknown>): object;
  /** True for a view outside of workspaces that requires a signed-in person. */
  isPersonal?: true;
  /** Name in the navigation or the settings; a view without one is reached through another view. */
  label?: string;
  /** Scope required to see the view. */
  scope?: Scope;
  /** True for a view that members with limits cannot open, since the API refuses them. */
  isUnlimited?: true;
  icon?: undefined;
  /** Additional search words for the command palette. */
  words?: string;
}

/** The row of a view in the navigation. */
interface NavigationView extends Omit<PlainView, 'icon'> {
  icon: LucideIcon;
  label: string;
  scope: Scope;
  /** Second key of the `g` sequence that opens the view; no other view has it. */
  key: string;
  /** Navigation heading of the view; the first views have none. */
  group?: (typeof GROUPS)[number];
}

type View = PlainView | NavigationView;

/**
 * Creates a lazy component.
 *
 * @param load imports the file
 * @param name export of the file
 */
const page = <Exports extends Record<string, RouteComponent>>(
  load: () => Promise<Exports>,
  name: keyof Exports & string,
): RouteComponent => lazyRouteComponent(loadPart(load), name) as RouteComponent;

/** Parses the search parameter with the view to return to. */
const returnTo = (search: Record<string, unknown>): { to?: string } =>
  typeof search['to'] === 'string' ? { to: search['to'] } : {};

const signInSearch = (search: Record<string, unknown>): { to?: string; error?: string } => ({
  ...returnTo(search),
  ...(typeof search['error'] === 'string' && { error: search['error'] }),
});

/** Parses the search parameters of a list as strings. */
const texts = (search: Record<string, unknown>): Partial<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(search).flatMap(([name, value]) =>
      typeof value === 'string' && value !== '' ? [[name, value]] : [],
    ),
  );

/** Parses the search parameters of a record's page: the period of its chart, and its open form. */
const recordSearch = (search: Record<string, unknown>): EventQuery & { edit?: 'form' } => ({
  ...readEventQuery(search),
  ...(search['edit'] === 'form' && { edit: 'form' as const }),
});

/** All views: the workspace's in navigation order, and the settings in the order of their menu. */
export const VIEWS = {
  '/sign-in': {
    page: page(() => import('../sign-in/sign-in-page.tsx'), 'SignInPage'),
    search: signInSearch,
  },
  '/sign-in/password': {
    page: page(() => import('../sign-in/password-page.tsx'), 'PasswordPage'),
    search: returnTo,
    isPersonal: true,
  },
  '/sign-in/code': {
    page: page(() => import('../sign-in/code-page.tsx'), 'CodePage'),
    search: returnTo,
  },
  '/sign-in/second-factor': {
    page: page(() => import('../sign-in/second-factor-page.tsx'), 'SecondFactorPage'),
    search: returnTo,
    isPersonal: true,
  },
  '/sign-in/forgot': {
    page: page(() => import('../sign-in/forgot-page.tsx'), 'ForgotPage'),
  },
  '/sign-in/reset': {
    page: page(() => import('../sign-in/reset-page.tsx'), 'ResetPage'),
  },
  '/invitation': {
    page: page(() => import('../sign-in/invitation-page.tsx'), 'InvitationPage'),
  },
  '/authorize': {
    page: page(() => import('../sign-in/authorize-page.tsx'), 'AuthorizePage'),
    search: texts,
    isPersonal: true,
  },
  '/welcome': {
    page: page(() => import('../sign-in/welcome-page.tsx'), 'WelcomePage'),
    isPersonal: true,
  },
  '/admin': {
    page: page(() => import('../admin/page.tsx'), 'AdminPage'),
    isPersonal: true,
  },
  '/$workspace/links': {
    page: page(() => import('../links/page.tsx'), 'LinksPage'),
    search: texts,
    label: 'Links',
    icon: Link2,
    key: 'l',
    scope: 'links.read',
  },
  '/$workspace/links/batch': {
    page: page(() => import('../links/batch/page.tsx'), 'BatchPage'),
  },
  '/$workspace/links/$link': {
    page: page(() => import('../links/link-page.tsx'), 'LinkPage'),
    search: recordSearch,
  },
  '/$workspace/qrcodes': {
    page: page(() => import('../qrcodes/page.tsx'), 'QrCodesPage'),
    search: texts,
    label: 'QR codes',
    icon: QrCode,
    key: 'q',
    scope: 'qrcodes.read',
  },
  '/$workspace/qrcodes/new': {
    page: page(() => import('../qrcodes/designer-page.tsx'), 'NewQrCodePage'),
    search: texts,
  },
  '/$workspace/qrcodes/batch': {
    page: page(() => import('../qrcodes/batch-page.tsx'), 'BatchPage'),
  },
  '/$workspace/qrcodes/$qrcode': {
    page: page(() => import('../qrcodes/code-page.tsx'), 'CodePage'),
    search: recordSearch,
  },
  '/$workspace/qrcodes/$qrcode/edit': {
    page: page(() => import('../qrcodes/designer-page.tsx'), 'EditQrCodePage'),
  },
  '/$workspace/analytics': {
    page: page(() => import('../analytics/page.tsx'), 'AnalyticsPage'),
    search: readEventQuery,
    label: 'Analytics',
    icon: ChartNoAxesColumn,
    key: 'a',
    scope: 'analytics.read',
    group: 'Insights',
    words: 'statistics reports clicks',
  },
  '/$workspace/live': {
    page: page(() => import('../analytics/live-page.tsx'), 'LivePage'),
    search: readEventQuery,
    label: 'Live',
    icon: Activity,
    key: 'v',
    scope: 'events.read',
    group: 'Insights',
    words: 'realtime',
  },
  '/$workspace/events': {
    page: page(() => import('../analytics/events-page.tsx'), 'EventsPage'),
    search: readEventQuery,
    label: 'Events',
    icon: List,
    key: 'e',
    scope: 'events.read',
    group: 'Insights',
  },
  '/$workspace/customers': {
    page: page(() => import('../customers/page.tsx'), 'CustomersPage'),
    search: texts,
    label: 'Customers',
    icon: Users,
    key: 'u',
    scope: 'customers.read',
    group: 'Insights',
  },
  '/$workspace/customers/$customerId': {
    page: page(() => import('../customers/customer-page.tsx'), 'CustomerPage'),
  },
  '/$workspace/domains': {
    page: page(() => import('../domains/page.tsx'), 'DomainsPage'),
    label: 'Domains',
    icon: Globe,
    key: 'd',
    scope: 'domains.read',
    group: 'Library',
    words: 'dns',
  },
  '/$workspace/labels': {
    page: page(() => import('../labels/page.tsx'), 'LabelsPage'),
    label: 'Tags and folders',
    icon: Tags,
    key: 't',
    scope: 'tags.read',
    group: 'Library',
    words: 'campaigns',
  },
  '/$workspace/pages': {
    page: page(() => import('../pages/page.tsx'), 'PagesPage'),
    label: 'Pages',
    icon: PanelTop,
    key: 'p',
    scope: 'pages.read',
    group: 'Library',
  },
  '/$workspace/pages/$pageId': {
    page: page(() => import('../pages/one-page.tsx'), 'OnePage'),
  },
  '/$workspace/trash': {
    page: page(() => import('../trash/page.tsx'), 'TrashPage'),
    search: texts,
    label: 'Trash',
    icon: Trash2,
    key: 'r',
    scope: 'links.read',
    group: 'Library',
    words: 'deleted restore undelete bin',
  },
  '/$workspace/webhooks': {
    page: page(() => import('../webhooks/page.tsx'), 'WebhooksPage'),
    label: 'Webhooks',
    icon: Webhook,
    key: 'w',
    scope: 'webhooks.read',
    group: 'Workspace',
  },
  '/$workspace/webhooks/$webhookId': {
    page: page(() => import('../webhooks/webhook-page.tsx'), 'WebhookPage'),
  },
  '/$workspace/imports': {
    page: page(() => import('../imports/page.tsx'), 'ImportsPage'),
    label: 'Imports',
    icon: FileUp,
    key: 'i',
    scope: 'imports.read',
    group: 'Workspace',
    words: 'csv upload migrate',
  },
  '/$workspace/imports/$importId': {
    page: page(() => import('../imports/import-page.tsx'), 'ImportPage'),
  },
  '/$workspace/settings': {
    page: page(() => import('../settings/layout.tsx'), 'SettingsLayout'),
    label: 'Settings',
    icon: Settings,
    key: 's',
    scope: 'workspace.read',
    group: 'Workspace',
  },
  '/$workspace/settings/workspace': {
    page: page(() => import('../settings/workspace/page.tsx'), 'WorkspacePage'),
    label: 'Workspace',
    scope: 'workspace.read',
    words: 'name logo brand color security two-factor 2fa utm rules',
  },
  '/$workspace/settings/members': {
    page: page(() => import('../settings/members/page.tsx'), 'MembersPage'),
    label: 'Members',
    scope: 'members.read',
    words: 'invite people team roles',
  },
  '/$workspace/settings/keys': {
    page: page(() => import('../settings/keys/page.tsx'), 'KeysPage'),
    label: 'API keys',
    scope: 'keys.read',
    words: 'token secret developer',
  },
  '/$workspace/settings/utm-templates': {
    page: page(() => import('../settings/utm-templates-page.tsx'), 'UtmTemplatesPage'),
    label: 'UTM templates',
    scope: 'links.read',
    words: 'campaign',
  },
  '/$workspace/settings/reports': {
    page: page(() => import('../settings/reports-page.tsx'), 'ReportsPage'),
    label: 'Shared reports',
    scope: 'analytics.read',
    isUnlimited: true,
    words: 'public dashboard embed share statistics',
  },
  '/$workspace/settings/payments': {
    page: page(() => import('../settings/payments-page.tsx'), 'PaymentsPage'),
    label: 'Payments',
    scope: 'conversions.write',
    words: 'stripe shopify sales connections',
  },
  '/$workspace/settings/destinations': {
    page: page(() => import('../destinations/page.tsx'), 'DestinationsPage'),
    label: 'Event destinations',
    scope: 'webhooks.read',
    words: 'matomo google analytics ga4 plausible umami redis stream web analytics',
  },
  '/$workspace/settings/audit-log': {
    page: page(() => import('../settings/audit-log-page.tsx'), 'AuditLogPage'),
    label: 'Audit log',
    scope: 'audit.read',
    words: 'history changes',
  },
  '/$workspace/settings/exports': {
    page: page(() => import('../settings/exports-page.tsx'), 'ExportsPage'),
    search: texts,
    label: 'Exports',
    scope: 'links.read',
    words: 'download csv backup',
  },
  '/$workspace/settings/profile': {
    page: page(() => import('../settings/profile/page.tsx'), 'ProfilePage'),
    label: 'My profile',
    // The view belongs to the person, so its scope is one that every role has.
    scope: 'links.read',
    words: 'account password email sessions notifications sign-in passkeys two-factor 2fa totp',
  },
} satisfies Record<`/${string}`, View>;

type Views = typeof VIEWS;
/** Route path of a view. */
export type ViewPath = keyof Views;
/** Type of a view's search parameters. */
export type SearchOf<Path extends ViewPath> = Views[Path] extends { search: infer Search }
  ? Search
  : undefined;

type PathWith<Part> = {
  [Path in ViewPath]: Views[Path] extends Part ? Path : never;
}[ViewPath];
type Named<Path extends ViewPath> = { to: Path; label: string; scope: Scope; words?: string };

/** An entry of the navigation and the command palette. */
export type Destination = Named<PathWith<{ icon: LucideIcon }>> &
  Pick<NavigationView, 'icon' | 'key' | 'group'>;

const all = Object.entries(VIEWS as Record<string, View>).map(([to, view]) => ({ to, ...view }));

/** Views in the navigation. */
export const DESTINATIONS = all.filter(({ icon }) => icon !== undefined) as Destination[];

/** Views in the settings. */
export const SETTINGS = all.filter(({ to }) =>
  to.startsWith('/$workspace/settings/'),
) as unknown as SettingsView[];

/** Finds the navigation entry that a path belongs to: `/acme/pages/page_1` belongs to pages. */
export const destinationAt = (path: string): Destination | undefined => {
  const [, , view] = path.split('/');
  return DESTINATIONS.find(({ to }) => to === `/$workspace/${view}`);
};

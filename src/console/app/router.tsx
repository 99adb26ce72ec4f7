import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { readQuestion } from '../analytics/question.ts';
import { ApiError } from '../api/error.ts';
import { part } from '../api/reachability.ts';
import { takeReturn } from '../sign-in/return.ts';
import { ErrorPage, NoSuchView, NotFoundPage, PendingView } from './error-page.tsx';
import { meQuery, personClient, whenSignedOut } from './session.ts';

/*
 * Every view of the application. Below `/$workspace`, a view is a file of its area that is loaded when it is first
 * opened; its row in `navigation.ts` makes it visible.
 */

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: NotFoundPage,
  errorComponent: ErrorPage,
});

/** The signed-in person, or the way to the sign-in page and back. */
async function signedIn({ location }: { location: { href: string } }) {
  try {
    return await personClient.ensureQueryData(meQuery);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    const isStart = location.href === '/';
    throw redirect({ to: '/sign-in', search: isStart ? {} : { to: location.href } });
  }
}

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  async beforeLoad(context) {
    const { workspaces } = await signedIn(context);
    const wanted = context.preload ? undefined : takeReturn();
    if (wanted !== undefined) throw redirect({ to: wanted as '/' });
    const last = localStorage.getItem('workspace');
    const workspace = workspaces.find(({ slug }) => slug === last) ?? workspaces[0];
    if (workspace === undefined) throw redirect({ to: '/welcome' });
    throw redirect({ to: '/$workspace/links', params: { workspace: workspace.slug } });
  },
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { to?: string; error?: string } => ({
    ...returnTo(search),
    ...(typeof search['error'] === 'string' && { error: search['error'] }),
  }),
  component: lazyRouteComponent(
    part(() => import('../sign-in/sign-in-page.tsx')),
    'SignInPage',
  ),
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  component: lazyRouteComponent(
    part(() => import('../sign-in/invitation-page.tsx')),
    'InvitationPage',
  ),
});

const choosePassword = createRoute({
  getParentRoute: () => root,
  path: '/sign-in/password',
  validateSearch: returnTo,
  beforeLoad: signedIn,
  component: lazyRouteComponent(
    part(() => import('../sign-in/password-page.tsx')),
    'PasswordPage',
  ),
});

const welcome = createRoute({
  getParentRoute: () => root,
  path: '/welcome',
  beforeLoad: signedIn,
  component: lazyRouteComponent(
    part(() => import('../sign-in/welcome-page.tsx')),
    'WelcomePage',
  ),
});

const admin = createRoute({
  getParentRoute: () => root,
  path: '/admin',
  beforeLoad: signedIn,
  component: lazyRouteComponent(
    part(() => import('../admin/page.tsx')),
    'AdminPage',
  ),
});

/** Loads the scripts of a view while the person is asked for, not after it. */
const preloadScripts = (matches: readonly { routeId: string }[]) => {
  for (const { routeId } of matches) {
    const route = (router.routesById as Record<string, AnyRoute>)[routeId];
    const view = route?.options.component as { preload?(): Promise<void> } | undefined;
    // The route loads it again, and shows the failure.
    view?.preload?.().catch(() => undefined);
  }
};

const workspace = createRoute({
  getParentRoute: () => root,
  path: '/$workspace',
  beforeLoad(context) {
    const person = signedIn(context);
    preloadScripts(context.matches);
    return person;
  },
  component: lazyRouteComponent(
    part(() => import('./shell.tsx')),
    'Shell',
  ),
  notFoundComponent: NoSuchView,
});

const workspaceStart = createRoute({
  getParentRoute: () => workspace,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/$workspace/links', params });
  },
});

const links = createRoute({
  getParentRoute: () => workspace,
  path: '/links',
  validateSearch: texts,
  component: lazyRouteComponent(
    part(() => import('../links/page.tsx')),
    'LinksPage',
  ),
});

const pages = createRoute({
  getParentRoute: () => workspace,
  path: '/pages',
  component: lazyRouteComponent(
    part(() => import('../pages/page.tsx')),
    'PagesPage',
  ),
});

const onePage = createRoute({
  getParentRoute: () => workspace,
  path: '/pages/$pageId',
  component: lazyRouteComponent(
    part(() => import('../pages/one-page.tsx')),
    'OnePage',
  ),
});

const customers = createRoute({
  getParentRoute: () => workspace,
  path: '/customers',
  component: lazyRouteComponent(
    part(() => import('../customers/page.tsx')),
    'CustomersPage',
  ),
});

const customer = createRoute({
  getParentRoute: () => workspace,
  path: '/customers/$customerId',
  component: lazyRouteComponent(
    part(() => import('../customers/customer-page.tsx')),
    'CustomerPage',
  ),
});

const imports = createRoute({
  getParentRoute: () => workspace,
  path: '/imports',
  component: lazyRouteComponent(
    part(() => import('../imports/page.tsx')),
    'ImportsPage',
  ),
});

const oneImport = createRoute({
  getParentRoute: () => workspace,
  path: '/imports/$importId',
  component: lazyRouteComponent(
    part(() => import('../imports/import-page.tsx')),
    'ImportPage',
  ),
});

const settings = createRoute({
  getParentRoute: () => workspace,
  path: '/settings',
  component: lazyRouteComponent(
    part(() => import('../settings/layout.tsx')),
    'SettingsLayout',
  ),
  notFoundComponent: NoSuchView,
});

const settingsStart = createRoute({
  getParentRoute: () => settings,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/$workspace/settings/workspace', params });
  },
});

const workspaceSettings = createRoute({
  getParentRoute: () => settings,
  path: '/workspace',
  component: lazyRouteComponent(
    part(() => import('../settings/workspace/page.tsx')),
    'WorkspacePage',
  ),
});

const exports = createRoute({
  getParentRoute: () => settings,
  path: '/exports',
  component: lazyRouteComponent(
    part(() => import('../settings/exports-page.tsx')),
    'ExportsPage',
  ),
});

const utmTemplates = createRoute({
  getParentRoute: () => settings,
  path: '/utm-templates',
  component: lazyRouteComponent(
    part(() => import('../settings/utm-templates-page.tsx')),
    'UtmTemplatesPage',
  ),
});

const members = createRoute({
  getParentRoute: () => settings,
  path: '/members',
  component: lazyRouteComponent(
    part(() => import('../settings/members/page.tsx')),
    'MembersPage',
  ),
});

const profile = createRoute({
  getParentRoute: () => settings,
  path: '/profile',
  component: lazyRouteComponent(
    part(() => import('../settings/profile/page.tsx')),
    'ProfilePage',
  ),
});

const keys = createRoute({
  getParentRoute: () => settings,
  path: '/keys',
  component: lazyRouteComponent(
    part(() => import('../settings/keys/page.tsx')),
    'KeysPage',
  ),
});

const auditLog = createRoute({
  getParentRoute: () => settings,
  path: '/audit-log',
  component: lazyRouteComponent(
    part(() => import('../settings/audit-log-page.tsx')),
    'AuditLogPage',
  ),
});

const domains = createRoute({
  getParentRoute: () => workspace,
  path: '/domains',
  component: lazyRouteComponent(
    part(() => import('../domains/page.tsx')),
    'DomainsPage',
  ),
});

const labels = createRoute({
  getParentRoute: () => workspace,
  path: '/labels',
  component: lazyRouteComponent(
    part(() => import('../labels/page.tsx')),
    'LabelsPage',
  ),
});

const webhooks = createRoute({
  getParentRoute: () => workspace,
  path: '/webhooks',
  component: lazyRouteComponent(
    part(() => import('../webhooks/page.tsx')),
    'WebhooksPage',
  ),
});

const webhook = createRoute({
  getParentRoute: () => workspace,
  path: '/webhooks/$webhookId',
  component: lazyRouteComponent(
    part(() => import('../webhooks/webhook-page.tsx')),
    'WebhookPage',
  ),
});

const qrcodes = createRoute({
  getParentRoute: () => workspace,
  path: '/qrcodes',
  validateSearch: texts,
  component: lazyRouteComponent(
    part(() => import('../qrcodes/page.tsx')),
    'QrCodesPage',
  ),
});

const newQrcode = createRoute({
  getParentRoute: () => workspace,
  path: '/qrcodes/new',
  component: lazyRouteComponent(
    part(() => import('../qrcodes/designer-page.tsx')),
    'NewQrCodePage',
  ),
});

const qrcode = createRoute({
  getParentRoute: () => workspace,
  path: '/qrcodes/$qrcode',
  component: lazyRouteComponent(
    part(() => import('../qrcodes/designer-page.tsx')),
    'QrCodePage',
  ),
});

const analytics = createRoute({
  getParentRoute: () => workspace,
  path: '/analytics',
  validateSearch: readQuestion,
  component: lazyRouteComponent(
    part(() => import('../analytics/page.tsx')),
    'AnalyticsPage',
  ),
});

const live = createRoute({
  getParentRoute: () => workspace,
  path: '/live',
  validateSearch: readQuestion,
  component: lazyRouteComponent(
    part(() => import('../analytics/live-page.tsx')),
    'LivePage',
  ),
});

const events = createRoute({
  getParentRoute: () => workspace,
  path: '/events',
  validateSearch: readQuestion,
  component: lazyRouteComponent(
    part(() => import('../analytics/events-page.tsx')),
    'EventsPage',
  ),
});

/** The view to go to afterwards. */
function returnTo(search: Record<string, unknown>): { to?: string } {
  return typeof search['to'] === 'string' ? { to: search['to'] } : {};
}

/** A view keeps its state in the address bar, as texts by name. */
function texts(search: Record<string, unknown>): Partial<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(search).flatMap(([name, value]) =>
      typeof value === 'string' && value !== '' ? [[name, value]] : [],
    ),
  );
}

export const router = createRouter({
  routeTree: root.addChildren([
    start,
    signIn,
    choosePassword,
    invitation,
    welcome,
    admin,
    workspace.addChildren([
      workspaceStart,
      links,
      qrcodes,
      newQrcode,
      qrcode,
      analytics,
      live,
      events,
      domains,
      labels,
      webhooks,
      webhook,
      pages,
      onePage,
      customers,
      customer,
      imports,
      oneImport,
      settings.addChildren([
        settingsStart,
        workspaceSettings,
        members,
        keys,
        utmTemplates,
        auditLog,
        exports,
        profile,
      ]),
    ]),
  ]),
  basepath: '/console',
  defaultPreload: 'intent',
  defaultErrorComponent: ErrorPage,
  defaultPendingComponent: PendingView,
  scrollRestoration: true,
  // Plain `name=value`, where the router would write JSON.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const entries = Object.entries(search).filter(([, value]) => value !== undefined);
    const text = new URLSearchParams(entries.map(([name, value]) => [name, String(value)]));
    return text.size === 0 ? '' : `?${text}`;
  },
});

whenSignedOut(() => {
  if (router.state.location.pathname === '/sign-in') return;
  void router.navigate({
    to: '/sign-in',
    search: { to: router.state.location.href, error: 'ended' },
    // Unsaved forms are kept, and there again after the sign-in: nothing is asked.
    ignoreBlocker: true,
  });
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

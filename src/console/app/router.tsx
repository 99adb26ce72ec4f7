import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type ResolveFullPath,
  type ResolveId,
  type ResolveParams,
  type Route,
  redirect,
} from '@tanstack/react-router';
import { ApiError } from '../api/error.ts';
import { loadPart } from '../api/reachability.ts';
import { followAccount } from '../languages/language.ts';
import { takeReturn } from '../sign-in/return.ts';
import { ErrorPage, NoSuchView, NotFoundPage } from './error-page.tsx';
import { PendingView } from './pending-view.tsx';
import { meQuery, personClient, whenSignedOut } from './session.ts';
import { type SearchOf, VIEWS, type ViewPath } from './views.ts';

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: NotFoundPage,
  errorComponent: ErrorPage,
});

/** Loads the signed-in person, or redirects to the sign-in page with a return address. */
async function signedIn({ location }: { location: { href: string } }) {
  try {
    const me = await personClient.ensureQueryData(meQuery);
    followAccount(me.language);
    return me;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    const isStart = location.href === '/';
    throw redirect({ to: '/sign-in', search: isStart ? {} : { to: location.href } });
  }
}

/** Returns the workspace that the person used last in this browser, or redirects if there is none. */
async function lastWorkspace(context: { location: { href: string } }): Promise<string> {
  const { workspaces } = await signedIn(context);
  const last = localStorage.getItem('workspace');
  const workspace = workspaces.find(({ slug }) => slug === last) ?? workspaces[0];
  if (workspace === undefined) throw redirect({ to: '/welcome' });
  return workspace.slug;
}

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  async beforeLoad(context) {
    await signedIn(context);
    const wanted = context.preload ? undefined : takeReturn();
    if (wanted !== undefined) throw redirect({ to: wanted as '/' });
    throw redirect({
      to: '/$workspace/links',
      params: { workspace: await lastWorkspace(context) },
    });
  },
});

/** Leads to the profile, where people change their password (`/.well-known/change-password`). */
const profile = createRoute({
  getParentRoute: () => root,
  path: '/sign-in/profile',
  async beforeLoad(context) {
    throw redirect({
      to: '/$workspace/settings/profile',
      params: { workspace: await lastWorkspace(context) },
    });
  },
});

/** Loads the scripts of a view in parallel with the request for the person. */
const preloadScripts = (matches: readonly { routeId: string }[]) => {
  for (const { routeId } of matches) {
    const route = (router.routesById as Record<string, AnyRoute>)[routeId];
    const view = route?.options.component as { preload?(): Promise<void> } | undefined;
    // The route itself loads the script again and shows the error.
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
    loadPart(() => import('./shell.tsx')),
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

const settings = createRoute({
  getParentRoute: () => workspace,
  path: '/settings',
  component: VIEWS['/$workspace/settings'].page,
  notFoundComponent: NoSuchView,
});

const settingsStart = createRoute({
  getParentRoute: () => settings,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/$workspace/settings/workspace', params });
  },
});

type ViewRoute<Parent extends AnyRoute, Path extends string, Search> = Route<
  unknown,
  Parent,
  Path,
  ResolveFullPath<Parent, Path>,
  string,
  ResolveId<Parent, string, Path>,
  Search,
  ResolveParams<Path>
>;

/** Routes below a prefix, keyed by their relative paths. */
type RoutesBelow<Parent extends AnyRoute, Prefix extends string, Paths extends ViewPath> = {
  [Path in Paths as Path extends `${Prefix}${infer Rest}`
    ? Rest
    : never]: Path extends `${Prefix}${infer Rest}`
    ? ViewRoute<Parent, Rest, SearchOf<Path>>
    : never;
};

type OfSettings = Extract<ViewPath, `/$workspace/settings/${string}`>;
type OfWorkspace = Exclude<
  Extract<ViewPath, `/$workspace/${string}`>,
  OfSettings | '/$workspace/settings'
>;
type Others = Exclude<ViewPath, `/$workspace/${string}`>;

/**
 * Creates the routes of a group of views.
 *
 * @param prefix path of the parent, with which the view paths begin
 * @param isBelow returns true for the paths of this group
 */
function routesBelow<Parent extends AnyRoute, Prefix extends string, Paths extends ViewPath>(
  parent: Parent,
  prefix: Prefix,
  isBelow: (path: ViewPath) => path is Paths,
): RoutesBelow<Parent, Prefix, Paths> {
  const paths = (Object.keys(VIEWS) as ViewPath[]).filter(isBelow);
  const routes = paths.map((path) => {
    const view: { search?: unknown; isPersonal?: true; page: unknown } = VIEWS[path];
    const options = {
      getParentRoute: () => parent,
      path: path.slice(prefix.length),
      component: view.page,
      ...(view.search !== undefined && { validateSearch: view.search }),
      ...(view.isPersonal === true && { beforeLoad: signedIn }),
    };
    return [path.slice(prefix.length), createRoute(options as never)];
  });
  return Object.fromEntries(routes) as RoutesBelow<Parent, Prefix, Paths>;
}

const isOfSettings = (path: ViewPath): path is OfSettings =>
  path.startsWith('/$workspace/settings/');
const isOfWorkspace = (path: ViewPath): path is OfWorkspace =>
  path.startsWith('/$workspace/') && path !== '/$workspace/settings' && !isOfSettings(path);
const isOther = (path: ViewPath): path is Others => !path.startsWith('/$workspace/');

export const router = createRouter({
  routeTree: root.addChildren({
    start,
    profile,
    ...routesBelow(root, '', isOther),
    workspace: workspace.addChildren({
      workspaceStart,
      ...routesBelow(workspace, '/$workspace', isOfWorkspace),
      settings: settings.addChildren({
        settingsStart,
        ...routesBelow(settings, '/$workspace/settings', isOfSettings),
      }),
    }),
  }),
  basepath: '/console',
  defaultPreload: 'intent',
  defaultErrorComponent: ErrorPage,
  defaultPendingComponent: PendingView,
  scrollRestoration: true,
  // Search parameters are plain `name=value` pairs; the router's default would encode them as JSON.
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
    // Unsaved forms are kept and restored after the sign-in, so no question is needed.
    ignoreBlocker: true,
  });
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

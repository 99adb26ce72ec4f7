import { Link, Outlet, useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { Menu as MenuIcon, Search } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { loadPart } from '../api/reachability.ts';
import { buttonLook, IconButton } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { lazyPart, usePreload } from '../ui/lazy-part.tsx';
import { Kbd } from '../ui/menu.tsx';
import { inSentence } from '../ui/sentence.ts';
import { WayBack } from '../ui/states.tsx';
import { undoNewest } from '../ui/toasts.tsx';
import { useAccent } from './accent.ts';
import { AccountMenu } from './account-menu.tsx';
import { ConnectionBanner } from './connection-banner.tsx';
import { NoAccess, NotAMemberPage } from './error-page.tsx';
import { useLeavingQuestion } from './leaving.ts';
import { PasswordBanner } from './password-banner.tsx';
import { useMe } from './session.ts';
import { SettingsViews } from './settings-views.ts';
import { useShortcuts } from './shortcuts.ts';
import { DESTINATIONS, type Destination, destinationAt, GROUPS, SETTINGS } from './views.ts';
import { useWorkspace, WorkspaceProvider } from './workspace.tsx';
import { WorkspaceSwitcher } from './workspace-switcher.tsx';

const CommandPalette = lazyPart(() => import('./command-palette.tsx'), 'CommandPalette');
const ShortcutsDialog = lazyPart(() => import('./shortcuts-dialog.tsx'), 'ShortcutsDialog');
const PARTS = [CommandPalette, ShortcutsDialog];
const NeedsSecondFactor = lazy(loadPart(() => import('./second-factor-page.tsx')));

/** The frame around every view of a workspace. */
export function Shell() {
  const { workspace: slug } = useParams({ from: '/$workspace' });
  const { workspaces } = useMe();
  const workspace = workspaces.find((one) => one.slug === slug);
  useEffect(() => {
    if (workspace !== undefined) localStorage.setItem('workspace', workspace.slug);
  }, [workspace]);
  if (workspace === undefined) return <NotAMemberPage slug={slug} />;
  if (workspace.needsSecondFactor) {
    return (
      <Suspense>
        <NeedsSecondFactor name={workspace.name} />
      </Suspense>
    );
  }
  return (
    <WorkspaceProvider key={workspace.slug} of={workspace}>
      <Frame />
    </WorkspaceProvider>
  );
}

function Frame() {
  const [opened, setOpened] = useState<'navigation' | 'palette' | 'shortcuts'>();
  const close = () => setOpened(undefined);
  const { slug, may } = useWorkspace();
  const navigate = useNavigate();
  const destination = destinationAt(useLocation({ select: ({ pathname }) => pathname }));
  useAccent();
  useLeavingQuestion();
  const sidebar = useRef<HTMLElement>(null);
  const menuButton = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (opened !== 'navigation') return undefined;
    // Not a global shortcut: lists, which the sidebar covers on phones, would handle the key first.
    const onKeyDown = ({ key }: KeyboardEvent) => {
      const isMenuOpen = sidebar.current?.querySelector(':popover-open') !== null;
      if (key !== 'Escape' || isMenuOpen) return;
      setOpened(undefined);
      menuButton.current?.focus();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [opened]);
  usePreload(PARTS);
  useShortcuts({
    'Ctrl+k': () => setOpened('palette'),
    '?': () => setOpened('shortcuts'),
    z: ({ repeat }) => repeat || undoNewest(),
    ...Object.fromEntries(
      DESTINATIONS.map(({ key, to }) => [
        `g ${key}`,
        () => void navigate({ to, params: { workspace: slug } }),
      ]),
    ),
  });
  return (
    <div className="flex h-dvh flex-col print:block print:h-auto">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-2 focus:rounded-md focus:bg-raised focus:px-3 focus:py-2"
      >
        Skip to content
      </a>
      <header className="flex items-center gap-2 border-b border-line bg-panel px-2 py-1 md:hidden print:hidden">
        <IconButton
          ref={menuButton}
          icon={MenuIcon}
          label="Navigation"
          aria-expanded={opened === 'navigation'}
          onClick={() => setOpened(opened === 'navigation' ? undefined : 'navigation')}
        />
        <div className="min-w-0 flex-1">
          <WorkspaceSwitcher />
        </div>
        <IconButton icon={Search} label="Search" onClick={() => setOpened('palette')} />
      </header>
      <div className="relative flex min-h-0 flex-1 print:block">
        <aside
          ref={sidebar}
          aria-label="Sidebar"
          className={classes(
            'flex-col gap-1 bg-ground p-2 max-md:absolute max-md:inset-0 max-md:z-40 md:flex md:w-60 md:shrink-0 print:hidden',
            opened === 'navigation' ? 'flex' : 'hidden',
          )}
        >
          <div className="max-md:hidden">
            <WorkspaceSwitcher />
          </div>
          <button
            type="button"
            onClick={() => setOpened('palette')}
            className="my-1 flex h-8 items-center gap-2 rounded-md border border-line bg-panel px-2 text-muted hover:bg-hover max-md:hidden"
          >
            <Search size={15} aria-hidden />
            <span className="flex-1 text-left">Search</span>
            <Kbd>{navigator.platform.startsWith('Mac') ? '⌘K' : 'Ctrl K'}</Kbd>
          </button>
          <Navigation onChosen={close} />
          <AccountMenu onHelp={() => setOpened('shortcuts')} onLeave={close} />
        </aside>
        <main
          id="main"
          tabIndex={-1}
          className="relative flex min-h-0 min-w-0 flex-1 flex-col overflow-y-auto border-line bg-panel outline-none md:my-2 md:mr-2 md:rounded-xl md:border print:m-0 print:block print:overflow-visible print:border-0"
        >
          <ConnectionBanner />
          <PasswordBanner />
          {destination === undefined || may(destination.scope) ? (
            <WayBack
              value={destination && <ListLink to={destination.to} label={destination.label} />}
            >
              <SettingsViews value={SETTINGS}>
                <Suspense>
                  <Outlet />
                </Suspense>
              </SettingsViews>
            </WayBack>
          ) : (
            <NoAccess title={destination.label} />
          )}
        </main>
      </div>
      <Suspense>
        {opened === 'palette' && <CommandPalette onClose={close} />}
        {opened === 'shortcuts' && <ShortcutsDialog onClose={close} />}
      </Suspense>
    </div>
  );
}

function Navigation({ onChosen }: { onChosen(): void }) {
  const { slug, may } = useWorkspace();
  const shown = DESTINATIONS.filter(({ scope }) => may(scope));
  return (
    <nav aria-label="Workspace" className="flex flex-1 flex-col gap-3 overflow-y-auto">
      {[undefined, ...GROUPS].map((group) => (
        <div key={group ?? ''} className="flex flex-col gap-0.5 has-[p:only-child]:hidden">
          {group !== undefined && <p className="px-2 pb-0.5 text-xs text-muted">{group}</p>}
          {shown
            .filter((one) => one.group === group)
            .map(({ to, label, icon: Icon }) => (
              <Link
                key={to}
                to={to}
                params={{ workspace: slug }}
                onClick={onChosen}
                className="flex h-8 items-center gap-2.5 rounded-md px-2 hover:bg-hover aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent-text max-md:h-11"
              >
                <Icon size={16} aria-hidden />
                {label}
              </Link>
            ))}
        </div>
      ))}
    </nav>
  );
}

/** Views whose deleted records are in the trash. */
const WITH_TRASH: ReadonlySet<string> = new Set(['/$workspace/links', '/$workspace/qrcodes']);

/** Links from a missing record to the list of its kind, and to the trash if it can be there. */
function ListLink({ to, label }: Pick<Destination, 'to' | 'label'>) {
  const { slug } = useWorkspace();
  const params = { workspace: slug };
  return (
    <div className="flex flex-wrap justify-center gap-2">
      <Link to={to} params={params} className={buttonLook()}>
        Back to {inSentence(label)}
      </Link>
      {WITH_TRASH.has(to) && (
        <Link to="/$workspace/trash" params={params} className={buttonLook()}>
          Look in the trash
        </Link>
      )}
    </div>
  );
}

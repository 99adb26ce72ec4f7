import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { Suspense, useEffect, useRef } from 'react';
import { useWorkspace } from '../app/workspace.tsx';

/** Views of the settings, with the scope without which one isn't shown. */
const VIEWS = [
  { to: '/$workspace/settings/workspace', label: 'Workspace', scope: 'workspace.read' },
  { to: '/$workspace/settings/members', label: 'Members', scope: 'members.read' },
  { to: '/$workspace/settings/keys', label: 'API keys', scope: 'keys.read' },
  { to: '/$workspace/settings/utm-templates', label: 'UTM templates', scope: 'links.read' },
  { to: '/$workspace/settings/audit-log', label: 'Audit log', scope: 'audit.read' },
  { to: '/$workspace/settings/exports', label: 'Exports', scope: 'links.read' },
  { to: '/$workspace/settings/jobs', label: 'Jobs', scope: 'jobs.read' },
  // Of the person, whatever their role is.
  { to: '/$workspace/settings/profile', label: 'My profile', scope: 'links.read' },
] as const;

/** The frame of all settings: the way from one to the other. */
export function SettingsLayout() {
  const { slug, may } = useWorkspace();
  const nav = useRef<HTMLElement>(null);
  const view = useLocation({ select: ({ pathname }) => pathname });
  // On phones, the present one may be out of sight.
  useEffect(() => {
    const link = nav.current?.querySelector(`[href$="${CSS.escape(view)}"]`);
    link?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [view]);
  return (
    <>
      <nav
        ref={nav}
        aria-label="Settings"
        className="flex shrink-0 gap-1 overflow-x-auto border-b border-line px-2 md:px-4"
      >
        {VIEWS.filter(({ scope }) => may(scope)).map(({ to, label }) => (
          <Link
            key={to}
            to={to}
            params={{ workspace: slug }}
            className="-mb-px border-b-2 border-transparent px-2 py-2.5 whitespace-nowrap text-muted hover:text-ink aria-[current=page]:border-accent-text aria-[current=page]:font-medium aria-[current=page]:text-ink max-md:py-3"
          >
            {label}
          </Link>
        ))}
      </nav>
      <Suspense>
        <Outlet />
      </Suspense>
    </>
  );
}

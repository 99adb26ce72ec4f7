import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { Suspense, use } from 'react';
import { NoAccess } from '../app/error-page.tsx';
import { SettingsViews } from '../app/settings-views.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { inputLook, Options } from '../ui/field.tsx';

/** The frame of all settings: links to each page, or a select in a narrow window. */
export function SettingsLayout() {
  const { slug, opens } = useWorkspace();
  const navigate = useNavigate();
  const path = useLocation({ select: ({ pathname }) => pathname });
  const all = use(SettingsViews);
  const views = all.filter(opens);
  const shown = all.find(({ to }) => path === to.replace('$workspace', slug));
  return (
    <>
      <nav aria-label="Settings" className="shrink-0 border-b border-line px-4 max-lg:py-2">
        <select
          aria-label="Settings"
          className={`${inputLook} lg:hidden`}
          value={shown?.to ?? ''}
          onChange={({ target }) => {
            const to = views.find((view) => view.to === target.value)?.to;
            if (to !== undefined) void navigate({ to, params: { workspace: slug } });
          }}
        >
          <Options of={views.map(({ to, label }) => [to, label])} />
        </select>
        <div className="flex flex-wrap gap-x-1 max-lg:hidden">
          {views.map(({ to, label }) => (
            <Link
              key={to}
              to={to}
              params={{ workspace: slug }}
              className="-mb-px border-b-2 border-transparent px-2 py-2.5 whitespace-nowrap text-muted hover:text-ink aria-[current=page]:border-accent-text aria-[current=page]:font-medium aria-[current=page]:text-ink"
            >
              {label}
            </Link>
          ))}
        </div>
      </nav>
      {shown === undefined || opens(shown) ? (
        <Suspense>
          <Outlet />
        </Suspense>
      ) : (
        <NoAccess title={shown.label} />
      )}
    </>
  );
}

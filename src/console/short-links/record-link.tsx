import { useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useWorkspace } from '../app/workspace.tsx';
import type { ListKind } from './list-kind.ts';
import { CHART, routeOf } from './record-route.ts';

interface RecordLinkProps extends Pick<ListKind, 'list'> {
  id: string;
  /** True to scroll to the chart of the record, over all time. */
  isToChart?: boolean;
  className: string;
  children: ReactNode;
}

/**
 * A link from a row to the page of its record, for a new window; the row itself opens the page too,
 * so the link is no tab stop. `Link` of the router would take a tenth of the time for scrolling,
 * since it compares its address with that of the page.
 */
export function RecordLink({ list, id, isToChart, className, children }: RecordLinkProps) {
  const { slug } = useWorkspace();
  const router = useRouter();
  const route = routeOf({ list }, slug, id);
  const chart = isToChart && { search: { interval: 'all' } as const, hash: CHART };
  return (
    <a
      href={`/console/${slug}/${list}/${id}${chart ? `?interval=all#${CHART}` : ''}`}
      title={chart ? 'Chart' : undefined}
      tabIndex={-1}
      className={`${className} hover:underline`}
      onPointerEnter={() => void router.preloadRoute(route)}
      onClick={(event) => {
        // With these keys, the browser opens a tab or a window.
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        void router.navigate({ ...route, ...chart });
      }}
    >
      {children}
    </a>
  );
}

import { useLocation } from '@tanstack/react-router';
import { WifiOff } from 'lucide-react';
import { useIsOnline } from '../api/reachability.ts';
import { Page } from '../ui/page.tsx';
import { Empty, Skeleton } from '../ui/states.tsx';
import { destinationAt } from './views.ts';
import { useIsInWorkspace } from './workspace.tsx';

/**
 * Shown while a view takes long to load, usually for lack of a connection; empty outside the frame
 * of a workspace.
 */
export function PendingView() {
  const title = useViewTitle();
  const isOnline = useIsOnline();
  if (!useIsInWorkspace()) return null;
  return isOnline ? (
    <div role="status" className="flex flex-col gap-4 p-4 md:p-6">
      <span className="sr-only">Loading {title}</span>
      <Skeleton className="h-6 w-40" />
      <Skeleton className="h-40 w-full" />
    </div>
  ) : (
    <Page title={title}>
      <Empty icon={WifiOff} title={`${title} can’t load yet`}>
        It opens as soon as the connection is back.
      </Empty>
    </Page>
  );
}

/** Returns the title of the view that is loading, as the navigation names it. */
function useViewTitle(): string {
  const path = useLocation({ select: ({ pathname }) => pathname });
  return destinationAt(path)?.label ?? 'This view';
}

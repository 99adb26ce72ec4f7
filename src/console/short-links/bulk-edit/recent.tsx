import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Layers } from 'lucide-react';
import { Suspense, useEffect, useState } from 'react';
import { keys } from '../../api/keys.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { lazyPart, usePreload } from '../../ui/lazy-part.tsx';
import type { ListKind } from '../list-kind.ts';
import { isBusy, recentQuery } from './changes.ts';

const RecentDialog = lazyPart(() => import('./recent-dialog.tsx'), 'RecentDialog');
const PARTS = [RecentDialog];

/**
 * Opens the recent bulk changes of a list, with the progress of one that runs, also after a reload.
 * It is left out while there are none.
 */
export function RecentBulkChanges({ kind }: { kind: Pick<ListKind, 'list' | 'inWords'> }) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const { list } = kind;
  const recent = useQuery(recentQuery(api, list)).data ?? [];
  const [isOpen, setOpen] = useState(false);
  const running = recent.find(isBusy);
  const isRunning = running !== undefined;
  usePreload(PARTS);
  // The rows are read again once no change runs any more.
  useEffect(
    () =>
      isRunning ? () => void client.invalidateQueries({ queryKey: keys[list].all }) : undefined,
    [client, list, isRunning],
  );
  if (recent.length === 0) return null;
  const { done, total } = running?.progress ?? { done: 0, total: 0 };
  return (
    <>
      <Button icon={Layers} onClick={() => setOpen(true)}>
        <span className={isRunning ? 'sr-only' : 'max-md:sr-only'}>Bulk changes</span>
        {isRunning && (
          <span className="tabular-nums">
            {total === 0 ? 'Changing' : `${Math.floor((100 * done) / total)}%`}
          </span>
        )}
      </Button>
      {isOpen && (
        <Suspense>
          <RecentDialog kind={kind} changes={recent} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

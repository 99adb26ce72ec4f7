import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { recordQuery } from '../app/resource.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Page } from '../ui/page.tsx';
import { Failure, Skeleton } from '../ui/states.tsx';
import { ImportActions } from './actions.tsx';
import { Errors } from './errors.tsx';
import { ImportOptions } from './options.tsx';
import { Preview } from './preview.tsx';
import { Progress } from './progress.tsx';
import { Results } from './results.tsx';
import { isBusy } from './state.tsx';
import { Warnings } from './warnings.tsx';
import { WorkspacePreview } from './workspace-preview.tsx';

/** Refetch interval while a worker processes the import, in ms. */
const REFRESH_MS = 700;

/** The page of an import, before, during and after its run. */
export function ImportPage() {
  const { importId } = useParams({ from: '/$workspace/imports/$importId' });
  const { api, may } = useWorkspace();
  const query = useQuery({
    ...recordQuery(api, 'imports', importId),
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && isBusy(data.state) ? REFRESH_MS : false,
  });
  const one = query.data;
  const isOpen = one?.state === 'checked' || one?.state === 'checking';
  return (
    <Page
      title={one?.name ?? 'Import'}
      actions={one && may('imports.write') && <ImportActions one={one} />}
    >
      {query.isPending && <Skeleton className="mx-6 h-40" />}
      {query.error && !one && <Failure error={query.error} retry={() => void query.refetch()} />}
      {one && (
        <div className="flex flex-col gap-6 pb-10">
          <Warnings one={one} isOpen={isOpen && may('imports.write')} />
          <Progress one={one} />
          {isOpen && may('imports.write') && <ImportOptions one={one} />}
          {one.source === 'workspace' ? (
            <WorkspacePreview one={one} />
          ) : (
            isOpen && <Preview one={one} />
          )}
          {one.source !== 'workspace' && one.state === 'done' && one.counts.created > 0 && (
            <Results one={one} />
          )}
          <Errors one={one} />
        </div>
      )}
    </Page>
  );
}

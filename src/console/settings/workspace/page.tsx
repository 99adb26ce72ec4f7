import { useQuery } from '@tanstack/react-query';
import { useWorkspace } from '../../app/workspace.tsx';
import { Page } from '../../ui/page.tsx';
import { Sections } from '../../ui/section.tsx';
import { Failure, Skeleton } from '../../ui/states.tsx';
import { workspaceQuery } from '../queries.ts';
import { Brand } from './brand.tsx';
import { General } from './general.tsx';
import { Security } from './security.tsx';
import { Usage } from './usage.tsx';
import { UtmRulesForm } from './utm-rules.tsx';
import { Visits } from './visits.tsx';

/** Time for which the usage numbers are reused without a request, in ms. */
const USAGE_FRESH_MS = 15_000;

/** The page of the workspace's own settings, with its plan and usage. */
export function WorkspacePage() {
  const { api } = useWorkspace();
  const query = useQuery({ ...workspaceQuery(api), staleTime: USAGE_FRESH_MS });
  return (
    <Page title="Workspace">
      {query.isPending && (
        <Sections>
          <Skeleton className="h-40 rounded-xl" />
          <Skeleton className="h-40 rounded-xl" />
        </Sections>
      )}
      {query.error && <Failure error={query.error} retry={() => void query.refetch()} />}
      {query.data && (
        <Sections>
          <General workspace={query.data} />
          <Brand workspace={query.data} />
          <Security workspace={query.data} />
          <UtmRulesForm workspace={query.data} />
          <Visits workspace={query.data} />
          <Usage workspace={query.data} />
        </Sections>
      )}
    </Page>
  );
}

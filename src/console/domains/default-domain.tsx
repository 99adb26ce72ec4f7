import { useQuery } from '@tanstack/react-query';
import { useWorkspace } from '../app/workspace.tsx';
import { workspaceQuery } from '../settings/queries.ts';
import { Badge } from '../ui/states.tsx';

/** The default domain, which every workspace can use and which has no record of its own. */
export function DefaultDomain() {
  const { api } = useWorkspace();
  const { data } = useQuery(workspaceQuery(api));
  if (data === undefined) return null;
  return (
    <section aria-label="Default domain" className="w-full max-w-6xl px-4 pb-10 md:px-6">
      <div className="flex flex-col gap-1 rounded-xl border border-line p-4">
        <div className="flex flex-wrap items-center gap-2">
          <h2 className="font-semibold break-all">{data.defaultDomain}</h2>
          <Badge>Default</Badge>
        </div>
        <p className="text-muted">
          Every workspace can use this domain. Your administrator sets its homepage and its page for
          unknown links.
        </p>
      </div>
    </section>
  );
}

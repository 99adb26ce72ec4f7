import { Gauge } from 'lucide-react';
import { ApiError } from '../api/error.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { sentenceCase } from '../ui/sentence.ts';
import { Empty } from '../ui/states.tsx';

/**
 * Returns the plan that a refused request requires; `undefined` if it failed for another reason.
 */
export function planNeeded(error: unknown): string | undefined {
  if (!(error instanceof ApiError) || error.status !== 403) return undefined;
  return /needs the (\w+) plan/.exec(error.message)?.[1];
}

/** Shown in place of a view that the workspace's plan does not include. */
export function PlanNeeded({ plan, what }: { plan: string; what: string }) {
  const { name, plan: current, slug, role } = useWorkspace();
  return (
    <Empty icon={Gauge} title={`${what} needs the ${sentenceCase(plan)} plan`}>
      <p>
        {name} is on the {sentenceCase(current)} plan. Events are recorded anyway, and appear here
        once the plan changes.
      </p>
      <p className="mt-2">
        {role === 'owner'
          ? 'Ask your administrator to change it:'
          : 'Ask an owner or your administrator to change it:'}
      </p>
      <code className="mt-2 block rounded-md bg-hover px-2 py-1.5 text-xs break-all">
        npm run cli -- workspace set --workspace {slug} --plan {plan}
      </code>
    </Empty>
  );
}

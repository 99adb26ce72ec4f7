import { Gauge } from 'lucide-react';
import { ApiError } from '../api/error.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Empty } from '../ui/states.tsx';

/** The plan that a refused request needs; `undefined`: it was refused for another reason. */
export function planNeeded(error: unknown): string | undefined {
  if (!(error instanceof ApiError) || error.status !== 403) return undefined;
  return /needs the (\w+) plan/.exec(error.message)?.[1];
}

/** In place of a view that the plan of the workspace doesn't have. */
export function PlanNeeded({ plan, what }: { plan: string; what: string }) {
  const { name, plan: current, slug, role } = useWorkspace();
  return (
    <Empty icon={Gauge} title={`${what} from the plan ${titled(plan)} on`}>
      <p>
        {name} has the plan {titled(current)}. Events are counted and kept all the same; you see
        them here as soon as the plan is changed.
      </p>
      <p className="mt-2">
        {role === 'owner' ? 'Ask' : 'Ask an owner of the workspace, or'} the operator of this
        service to change it:
      </p>
      <code className="mt-2 block rounded-md bg-hover px-2 py-1.5 text-xs break-all">
        npm run cli -- workspace set --workspace {slug} --plan {plan}
      </code>
    </Empty>
  );
}

const titled = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

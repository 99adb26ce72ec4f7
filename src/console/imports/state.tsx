import type { Schemas } from '../api/client.ts';
import { Badge } from '../ui/states.tsx';

type State = Schemas['Import']['state'];

const SHOWN: Record<State, { label: string; tone?: 'success' | 'warning' | 'danger' }> = {
  fetching: { label: 'Reading' },
  failed: { label: 'Failed', tone: 'danger' },
  checking: { label: 'Checking' },
  checked: { label: 'Ready to import', tone: 'warning' },
  queued: { label: 'Waiting' },
  running: { label: 'Importing' },
  done: { label: 'Done', tone: 'success' },
  cancelled: { label: 'Cancelled', tone: 'danger' },
  undoing: { label: 'Undoing' },
  undone: { label: 'Undone' },
};

/** The state of an import. */
export function ImportState({ state }: { state: State }) {
  const { label, tone } = SHOWN[state];
  return <Badge tone={tone}>{label}</Badge>;
}

/** True while a worker still has to process the import. */
export const isBusy = (state: State): boolean =>
  ['fetching', 'checking', 'queued', 'running', 'undoing'].includes(state);

import type { Schemas } from '../api/client.ts';
import { Badge } from '../ui/states.tsx';

type Import = Schemas['Import'];
type State = Import['state'];

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

/** True for a checked import of which every row would be skipped or refused. */
export const isEmpty = ({ state, counts }: Pick<Import, 'state' | 'counts'>): boolean =>
  state === 'checked' && counts.created + counts.updated === 0;

/** The state of an import. */
export function ImportState(one: Pick<Import, 'state' | 'counts'>) {
  if (isEmpty(one)) return <Badge>Nothing to import</Badge>;
  const { label, tone } = SHOWN[one.state];
  return <Badge tone={tone}>{label}</Badge>;
}

/** True while a worker still has to process the import. */
export const isBusy = (state: State): boolean =>
  ['fetching', 'checking', 'queued', 'running', 'undoing'].includes(state);

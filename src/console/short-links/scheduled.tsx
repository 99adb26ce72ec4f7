import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CalendarClock } from 'lucide-react';
import { useEffect } from 'react';
import { answer, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useWrite } from '../api/queries.ts';
import type { Call } from '../app/changes.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { Panel } from '../ui/panel.tsx';
import { Badge } from '../ui/states.tsx';
import { absoluteTime, Time } from '../ui/time.tsx';
import { toastError } from '../ui/toast-error.ts';
import { toast } from '../ui/toasts.tsx';
import { actorName, type ChangeNames, scheduledInWords } from './change-words.ts';
import { ChangedFields } from './changed-fields.tsx';
import type { ShortLinkRecord } from './fields.ts';
import type { RecordKind } from './list-kind.ts';
import { apiPathOf } from './record-route.ts';

type Scheduled = Schemas['ScheduledChange'];

/** Time after a change in which it is in force, in ms: the API promises a second. */
const APPLIED_MS = 1_500;
/** Time between looks at a change that is late, in ms. */
const LATE_MS = 10_000;
/** Longest time of a timer, in ms: browsers delay none by more than 24 days. */
const LONGEST_WAIT_MS = 24 * 3_600_000;

interface ScheduledProps<Row extends ShortLinkRecord> {
  kind: RecordKind<Row>;
  record: Row;
  names: ChangeNames;
}

/** The pending and failed changes of a record; nothing while it has none. */
export function ScheduledChanges<Row extends ShortLinkRecord>(props: ScheduledProps<Row>) {
  const { kind, record, names } = props;
  const { list } = kind;
  const { api, may } = useWorkspace();
  const client = useQueryClient();
  const { path, of } = apiPathOf(kind, record.id);
  const { data: changes = [] } = useQuery({
    queryKey: keys[list].one(record.id, 'changes'),
    queryFn: ({ signal }) => {
      const read = api.GET as unknown as Call;
      return answer(read(`${path}/changes`, { params: { path: of }, signal })) as Promise<
        Scheduled[]
      >;
    },
  });
  const next = Math.min(
    ...changes.flatMap(({ status, at }) => (status === 'pending' ? [Date.parse(at)] : [])),
  );
  useEffect(() => {
    if (!Number.isFinite(next)) return undefined;
    let timer: ReturnType<typeof setTimeout>;
    const look = () => {
      const left = next - Date.now();
      // The record, its history and what is scheduled have changed.
      if (left <= 0) void client.invalidateQueries({ queryKey: keys[list].all });
      timer = setTimeout(look, left > 0 ? Math.min(left + APPLIED_MS, LONGEST_WAIT_MS) : LATE_MS);
    };
    look();
    return () => clearTimeout(timer);
  }, [client, list, next]);
  const cancel = useWrite({
    send: ({ id }: Scheduled) => {
      const remove = api.DELETE as unknown as Call;
      return answer(
        remove(`${path}/changes/{changeId}`, { params: { path: { ...of, changeId: id } } }),
      );
    },
    onDone(_, { status }) {
      void client.invalidateQueries({ queryKey: keys[list].one(record.id, 'changes') });
      toast(status === 'pending' ? 'Scheduled change cancelled' : 'Failed change removed');
    },
    onFailed(error) {
      // It may have been applied meanwhile.
      void client.invalidateQueries({ queryKey: keys[list].all });
      toastError(error);
    },
  });
  if (changes.length === 0) return null;
  return (
    <Panel title="Scheduled changes">
      <ol>
        {changes.map((change) => (
          <li
            key={change.id}
            className="flex flex-col gap-2 border-b border-line px-4 py-3 last:border-b-0"
          >
            <div className="flex items-start justify-between gap-x-4">
              <p className="min-w-0 wrap-anywhere">
                <CalendarClock
                  size={15}
                  aria-hidden
                  className="mr-1.5 inline align-text-bottom text-muted"
                />
                <span className="font-medium">{absoluteTime(change.at)}</span>{' '}
                <span className="text-muted">
                  <Time at={change.at} />, by {actorName(change)}
                </span>{' '}
                {change.status === 'failed' && <Badge tone="danger">Not applied</Badge>}
              </p>
              {may(`${list}.write`) && (
                <Button
                  look="quiet"
                  size="small"
                  busy={cancel.isPending && cancel.variables.input.id === change.id}
                  onClick={() => cancel.write(change)}
                  aria-label={`${change.status === 'pending' ? 'Cancel' : 'Remove'} the change of ${absoluteTime(change.at)}`}
                  className="-my-1 shrink-0"
                >
                  {change.status === 'pending' ? 'Cancel' : 'Remove'}
                </Button>
              )}
            </div>
            {change.error && <p className="text-danger">{change.error.message}.</p>}
            <ChangedFields
              fields={scheduledInWords(
                change.changes,
                record as unknown as Readonly<Record<string, unknown>>,
                names,
              )}
            />
          </li>
        ))}
      </ol>
    </Panel>
  );
}

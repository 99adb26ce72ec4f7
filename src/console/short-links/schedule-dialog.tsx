import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answer, idempotent, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useWrite } from '../api/queries.ts';
import type { Call } from '../app/changes.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { DateTimeField } from '../ui/field.tsx';
import { FormDialog, messagesOf } from '../ui/form-dialog.tsx';
import { absoluteTime, fromLocal, toLocal } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';
import type { ListKind } from './list-kind.ts';
import { apiPathOf } from './record-route.ts';

/** Time from now that the dialog proposes: the start of the next day, at nine. */
function tomorrow(): string {
  const at = new Date();
  at.setDate(at.getDate() + 1);
  at.setHours(9, 0, 0, 0);
  return toLocal(at.toISOString());
}

interface ScheduleDialogProps {
  list: ListKind['list'];
  /** Word for the record: "link". */
  id: string;
  /** Fields to change. */
  changes: object;
  onScheduled(): void;
  onClose(): void;
}

/** Asks when the changes of a form become effective, and schedules them. */
export function ScheduleDialog(props: ScheduleDialogProps) {
  const { list, id, changes } = props;
  const { api } = useWorkspace();
  const client = useQueryClient();
  const [at, setAt] = useState(tomorrow);
  const [earliest] = useState(() => toLocal(new Date().toISOString()));
  const schedule = useWrite({
    send: (time: string, key) => {
      const { path, of } = apiPathOf({ list }, id);
      const send = api.PATCH as unknown as Call;
      return answer(
        send(path, { ...idempotent(key, of), body: { ...changes, at: time } }),
      ) as Promise<Schemas['ScheduledChange']>;
    },
    onDone(scheduled) {
      void client.invalidateQueries({ queryKey: keys[list].one(id, 'changes') });
      toast(`Scheduled for ${absoluteTime(scheduled.at)}`);
      props.onScheduled();
    },
  });
  return (
    <FormDialog
      title="Schedule the changes"
      action="Schedule"
      busy={schedule.isPending}
      error={schedule.error}
      isDisabled={at === ''}
      onClose={props.onClose}
      onSubmit={() => schedule.write(fromLocal(at)!)}
    >
      <p>
        {list === 'links'
          ? 'The link stays as it is until then. Its page lists what is scheduled, and cancels it.'
          : 'The QR code stays as it is until then. Its page lists what is scheduled, and cancels it.'}
      </p>
      <DateTimeField
        label="Apply at"
        required
        value={at}
        min={earliest}
        error={messagesOf(schedule.error)['at']}
        onChange={({ target }) => setAt(target.value)}
      />
    </FormDialog>
  );
}

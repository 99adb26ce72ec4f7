import { useQueryClient } from '@tanstack/react-query';
import { answer, idempotent, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useWrite } from '../api/queries.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { DateTimeField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { fromLocal, toLocal } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';
import { useFields } from '../ui/use-fields.ts';
import { KINDS } from './kinds.ts';

const DAY_MS = 86_400_000;

const ago = (ms: number): string => toLocal(new Date(Date.now() - ms).toISOString());

interface BackfillDialogProps {
  destination: Schemas['Destination'];
  onClose(): void;
}

/** A dialog that sends the stored events of a period. */
export function BackfillDialog({ destination, onClose }: BackfillDialogProps) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const start = useWrite({
    send: (body: Schemas['BackfillRequest'], key) =>
      answer(
        api.POST('/destinations/{id}/backfill', {
          ...idempotent(key, { id: destination.id }),
          body,
        }),
      ),
    onDone: () => {
      void client.invalidateQueries({ queryKey: keys.destinations.all });
      toast('Sending earlier events');
      onClose();
    },
  });
  const { values, text } = useFields({ start: ago(7 * DAY_MS), end: ago(0) }, start.error);
  return (
    <FormDialog
      title="Send earlier events"
      action="Send"
      onClose={onClose}
      busy={start.isPending}
      error={start.error}
      onSubmit={() =>
        start.write({ start: fromLocal(values.start) ?? '', end: fromLocal(values.end) ?? '' })
      }
    >
      <p>
        We send the stored events of a period of at most 31 days that the filter matches.{' '}
        {KINDS[destination.type].backfill}
      </p>
      <DateTimeField label="From" required {...text('start')} />
      <DateTimeField label="Until" required {...text('end')} />
    </FormDialog>
  );
}

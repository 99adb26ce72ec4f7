import { useQueryClient } from '@tanstack/react-query';
import { RotateCw, Send } from 'lucide-react';
import { useState } from 'react';
import { answer, idempotent, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { PAGE_SIZE, usePaged } from '../api/paged.ts';
import { useWrite } from '../api/queries.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { inputLook, Options, SelectField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { RecordList } from '../ui/record-list.tsx';
import { RowButton } from '../ui/row-button.tsx';
import { Empty } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';
import { useFields } from '../ui/use-fields.ts';
import { DeliveryDialog } from './delivery-dialog.tsx';
import { REFRESH_MS } from './queries.ts';
import { DeliveryState } from './state.tsx';

type State = Schemas['Delivery']['state'];
const STATES: Record<State, string> = {
  delivered: 'Delivered',
  pending: 'Pending',
  failed: 'Failed',
  held: 'Held',
};

/** Formats a time with its milliseconds, which tell deliveries of one event apart. */
const exact = new Intl.DateTimeFormat('en', {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
});

/** The deliveries of a webhook, newest first. */
export function Deliveries({ webhookId }: { webhookId: string }) {
  const { api, may } = useWorkspace();
  const [state, setState] = useState<State | ''>('');
  const [openedId, setOpenedId] = useState<string>();
  const [isResending, setResending] = useState(false);
  const deliveries = usePaged(
    keys.deliveries.one(webhookId, 'list', state),
    (page, signal) => {
      const query = { page, pageSize: PAGE_SIZE, ...(state !== '' && { state: [state] }) };
      const params = { path: { id: webhookId }, query };
      return answer(api.GET('/webhooks/{id}/deliveries', { params, signal }));
    },
    { refetchInterval: REFRESH_MS },
  );
  return (
    <section aria-labelledby="deliveries">
      <header className="flex flex-wrap items-center justify-between gap-2 border-t border-line px-4 py-3 md:px-6">
        <h2 id="deliveries" className="font-semibold">
          Deliveries
        </h2>
        {(deliveries.rows.length > 0 || state !== '') && (
          <div className="flex items-center gap-2">
            <select
              aria-label="Status of the deliveries"
              className={inputLook}
              value={state}
              onChange={(event) => setState(event.target.value as State | '')}
            >
              <option value="">All statuses</option>
              <Options of={Object.entries(STATES)} />
            </select>
            {may('webhooks.write') && (
              <Button icon={RotateCw} className="shrink-0" onClick={() => setResending(true)}>
                Resend
              </Button>
            )}
          </div>
        )}
      </header>
      <RecordList
        query={deliveries}
        empty={
          <Empty
            icon={Send}
            title={state === '' ? 'No deliveries yet' : 'No deliveries with this status'}
          >
            {state === ''
              ? 'Requests we send appear here with their responses, and are stored for 30 days. Send a test event to see one.'
              : 'Choose another status.'}
          </Empty>
        }
      >
        {(rows) => (
          <Table
            label="Deliveries"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              {
                name: 'Event',
                render: ({ id, kind, createdAt }) => (
                  <RowButton
                    label={`${kind}, ${exact.format(new Date(createdAt))}`}
                    onClick={() => setOpenedId(id)}
                  >
                    {kind}
                  </RowButton>
                ),
              },
              { name: 'Status', render: (delivery) => <DeliveryState {...delivery} /> },
              { name: 'Attempts', isMinor: true, isNumber: true, render: (one) => one.attempts },
              { name: 'Time', render: ({ createdAt }) => <Time at={createdAt} /> },
            ]}
          />
        )}
      </RecordList>
      {openedId !== undefined && (
        <DeliveryDialog
          webhookId={webhookId}
          deliveryId={openedId}
          onClose={() => setOpenedId(undefined)}
        />
      )}
      {isResending && <ResendDialog webhookId={webhookId} onClose={() => setResending(false)} />}
    </section>
  );
}

/** Periods whose deliveries can be resent, by their length in hours. */
const PERIODS = {
  1: 'Last hour',
  24: 'Last 24 hours',
  168: 'Last 7 days',
  720: 'Last 30 days',
};
const HOUR_MS = 3_600_000;

function ResendDialog({ webhookId, onClose }: { webhookId: string; onClose(): void }) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const { values, text } = useFields({ hours: '24' }, null);
  const [isAll, setAll] = useState(false);
  const resend = useWrite({
    send: (body: Schemas['ResendRequest'], key) =>
      answer(api.POST('/webhooks/{id}/resend', { ...idempotent(key, { id: webhookId }), body })),
    onDone: ({ count }) => {
      void client.invalidateQueries({ queryKey: keys.deliveries.one(webhookId) });
      toast(count === 1 ? 'Resending 1 delivery' : `Resending ${count} deliveries`);
      onClose();
    },
  });
  return (
    <FormDialog
      title="Resend deliveries"
      action="Resend"
      onClose={onClose}
      busy={resend.isPending}
      error={resend.error}
      onSubmit={() =>
        resend.write({
          since: new Date(Date.now() - Number(values.hours) * HOUR_MS).toISOString(),
          undeliveredOnly: !isAll,
        })
      }
    >
      <SelectField label="Period" {...text('hours')} options={Object.entries(PERIODS)} />
      <label className="flex items-center gap-2 max-md:min-h-11">
        <input
          type="checkbox"
          className="size-4 accent-accent"
          checked={isAll}
          onChange={(event) => setAll(event.target.checked)}
        />
        Include deliveries that succeeded
      </label>
      <p className="text-xs text-muted">
        Resent deliveries keep their IDs, so your server can skip the ones it has already processed.
      </p>
    </FormDialog>
  );
}

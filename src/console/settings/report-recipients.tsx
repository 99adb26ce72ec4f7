import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Mail, X } from 'lucide-react';
import { answer, idempotent, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useWrite } from '../api/queries.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { RowMenu } from '../ui/menu.tsx';
import { Badge, Failure, Skeleton } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { isPast } from '../ui/time.tsx';
import { toastError } from '../ui/toast-error.ts';
import { toast } from '../ui/toasts.tsx';

type Recipient = Schemas['ReportRecipient'];

/** The people who get a report by email, or were asked to confirm it. */
export function ReportRecipients({ reportId }: { reportId: string }) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const recipients = useQuery({
    queryKey: keys.sharedReports.one(reportId, 'recipients'),
    queryFn: ({ signal }) =>
      answer(api.GET('/reports/{id}/recipients', { params: { path: { id: reportId } }, signal })),
    // People confirm and unsubscribe elsewhere.
    staleTime: 0,
  });
  const refresh = () =>
    void client.invalidateQueries({ queryKey: keys.sharedReports.one(reportId) });
  const pathOf = ({ id }: Recipient) => ({ id: reportId, recipientId: id });
  const resend = useWrite({
    send: (recipient: Recipient, key) =>
      answer(
        api.POST(
          '/reports/{id}/recipients/{recipientId}/resend',
          idempotent(key, pathOf(recipient)),
        ),
      ),
    onDone: ({ email }) => {
      toast(`Confirmation email sent to ${email}`);
      refresh();
    },
    onFailed: toastError,
  });
  const remove = useWrite({
    send: (recipient: Recipient) =>
      answer(
        api.DELETE('/reports/{id}/recipients/{recipientId}', {
          params: { path: pathOf(recipient) },
        }),
      ),
    onDone: (_, { email }) => {
      toast(`${email} removed`);
      refresh();
    },
    onFailed: toastError,
  });
  if (recipients.error) {
    return <Failure error={recipients.error} retry={() => void recipients.refetch()} />;
  }
  if (recipients.data === undefined) return <Skeleton className="h-20 w-full" />;
  if (recipients.data.length === 0) return <p className="text-muted">No recipients yet.</p>;
  return (
    <div className="-mx-4">
      <Table
        label="Recipients"
        rows={recipients.data}
        keyOf={({ id }) => id}
        columns={[
          { name: 'Email', render: ({ email }) => <span className="break-all">{email}</span> },
          { name: 'State', render: (recipient) => <State recipient={recipient} /> },
          {
            name: 'Actions',
            isBare: true,
            render: (recipient) => (
              <RowMenu
                label={`Actions for ${recipient.email}`}
                items={[
                  recipient.state === 'waiting' && {
                    label: 'Resend confirmation email',
                    icon: Mail,
                    onSelect: () => resend.write(recipient),
                  },
                  {
                    label: 'Remove',
                    icon: X,
                    onSelect: () => remove.write(recipient),
                  },
                ]}
              />
            ),
          },
        ]}
      />
    </div>
  );
}

function State({ recipient: { state, confirmableUntil } }: { recipient: Recipient }) {
  if (state === 'confirmed') return <Badge tone="success">Confirmed</Badge>;
  if (state === 'unsubscribed') return <Badge>Unsubscribed</Badge>;
  return confirmableUntil !== null && isPast(confirmableUntil) ? (
    <Badge tone="danger">Link expired</Badge>
  ) : (
    <Badge tone="warning">Not confirmed</Badge>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { answer, idempotent, type Schemas } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import { useWrite } from '../../api/queries.ts';
import { useRecords, useResource } from '../../app/resource.ts';
import { ROLE_NAMES } from '../../app/role-names.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { RecordList } from '../../ui/record-list.tsx';
import { Badge } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { toastError } from '../../ui/toast-error.ts';

type Invitation = Schemas['Invitation'];

/**
 * The invitations that can still be accepted.
 *
 * @param onResent takes an invitation with its new link, which is shown without a mail server
 */
export function Invitations({
  onResent,
}: {
  onResent(invitation: Schemas['InvitationWithUrl']): void;
}) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const invitations = useRecords('invitations');
  const { remove: cancel } = useResource('invitations', { onFailed: toastError });
  const resend = useWrite({
    send: ({ id }: Invitation, key) =>
      answer(api.POST('/invitations/{id}/resend', idempotent(key, { id }))),
    onDone: (invitation) => {
      onResent(invitation);
      void client.invalidateQueries({ queryKey: keys.invitations.all });
    },
    onFailed(error) {
      toastError(error);
      // It may have been accepted, or have expired.
      void client.invalidateQueries({ queryKey: keys.invitations.all });
    },
  });
  return (
    <section aria-labelledby="invitations" className="pt-8 pb-10">
      <h2 id="invitations" className="px-4 pb-2 font-semibold md:px-6">
        Invitations
      </h2>
      <RecordList
        query={invitations}
        empty={<p className="px-4 text-muted md:px-6">No pending invitations.</p>}
      >
        {(rows) => (
          <Table
            label="Invitations"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              { name: 'Email', render: ({ email }) => <span className="break-all">{email}</span> },
              {
                name: 'Role',
                render: ({ role, limits }) => (
                  <span className="md:whitespace-nowrap">
                    <span className="capitalize">{ROLE_NAMES[role]}</span>{' '}
                    {limits !== null && <Badge>Limited</Badge>}
                  </span>
                ),
              },
              {
                name: 'Expires',
                isMinor: true,
                render: ({ expiresAt }) => <Time at={expiresAt} />,
              },
              {
                name: 'Actions',
                isBare: true,
                render: (invitation) => (
                  <div className="flex justify-end gap-2">
                    <Button
                      size="small"
                      busy={resend.isPending && resend.variables.input.id === invitation.id}
                      aria-label={`Resend invitation of ${invitation.email}`}
                      onClick={() => resend.write(invitation)}
                    >
                      Resend
                    </Button>
                    <Button
                      size="small"
                      aria-label={`Cancel invitation of ${invitation.email}`}
                      onClick={() => cancel.write(invitation)}
                    >
                      Cancel
                    </Button>
                  </div>
                ),
              },
            ]}
          />
        )}
      </RecordList>
    </section>
  );
}

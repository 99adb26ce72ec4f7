import { useQueryClient } from '@tanstack/react-query';
import { answer, type Schemas } from '../../api/client.ts';
import { describe } from '../../api/error.ts';
import { keys } from '../../api/keys.ts';
import { PAGE_SIZE, usePaged } from '../../api/paged.ts';
import { useWrite } from '../../api/queries.ts';
import { deleteRecord } from '../../app/changes.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { RecordList } from '../../ui/record-list.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toasts.tsx';

/** Invitations that can still be accepted. */
export function Invitations() {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const invitations = usePaged(keys.invitations.list(), (page, signal) =>
    answer(api.GET('/invitations', { params: { query: { page, pageSize: PAGE_SIZE } }, signal })),
  );
  const cancel = useWrite({
    send: (seen: Schemas['Invitation']) =>
      deleteRecord({ api, path: '/invitations/{id}', of: { id: seen.id }, seen }),
    onDone: () => {
      void client.invalidateQueries({ queryKey: keys.invitations.all });
      toast('Invitation cancelled. Its link no longer works.');
    },
    onFailed: (error) => toast(describe(error), 'danger'),
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
                render: ({ role }) => <span className="capitalize whitespace-nowrap">{role}</span>,
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
                  <Button
                    size="small"
                    aria-label={`Cancel invitation of ${invitation.email}`}
                    onClick={() => cancel.write(invitation)}
                  >
                    Cancel
                  </Button>
                ),
              },
            ]}
          />
        )}
      </RecordList>
    </section>
  );
}

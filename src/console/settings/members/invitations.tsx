import { useRecords, useResource } from '../../app/resource.ts';
import { ROLE_NAMES } from '../../app/role-names.ts';
import { Button } from '../../ui/button.tsx';
import { RecordList } from '../../ui/record-list.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { toastError } from '../../ui/toast-error.ts';

/** The invitations that can still be accepted. */
export function Invitations() {
  const invitations = useRecords('invitations');
  const { remove: cancel } = useResource('invitations', { onFailed: toastError });
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
                render: ({ role }) => (
                  <span className="capitalize whitespace-nowrap">{ROLE_NAMES[role]}</span>
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

import { useState } from 'react';
import { answer, type Schemas } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { AdminSection, api, bare, useAdminQuery, useAdminWrite } from './section.tsx';

type BlockedLink = Schemas['BlockedLink'];

/** Number of listed links, newest first. */
const SHOWN = 100;

/** The section for links that operators have blocked because of abuse reports. */
export function BlockedLinks() {
  const [opened, setOpened] = useState<BlockedLink>();
  const query = useAdminQuery(['blocked-links'], (signal) =>
    answer(api.GET('/admin/blocked-links', { params: { query: { limit: SHOWN } }, signal })),
  );
  // The section stays hidden while no link is blocked, because links get here only through reports.
  if (query.data?.length === 0) return null;
  return (
    <AdminSection title="Blocked links">
      <Loaded query={query} skeleton="mx-6 h-24">
        {(links) => (
          <Table
            label="Blocked links"
            rows={links}
            keyOf={({ id }) => id}
            columns={[
              {
                name: 'Link',
                render: ({ shortLink }) => <span className="font-medium">{bare(shortLink)}</span>,
              },
              { name: 'Reason', render: ({ reason }) => reason },
              {
                name: 'Blocked',
                isMinor: true,
                render: ({ createdAt }) => <Time at={createdAt} />,
              },
              {
                name: 'Actions',
                isBare: true,
                render: (link) => (
                  <Button
                    aria-label={`Unblock ${bare(link.shortLink)}`}
                    onClick={() => setOpened(link)}
                  >
                    Unblock
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Loaded>
      {opened !== undefined && <UnblockDialog link={opened} onClose={() => setOpened(undefined)} />}
    </AdminSection>
  );
}

function UnblockDialog({ link, onClose }: { link: BlockedLink; onClose(): void }) {
  const unblock = useAdminWrite('Link unblocked', onClose, {
    send: (id: string) => api.DELETE('/admin/blocked-links/{id}', { params: { path: { id } } }),
  });
  return (
    <FormDialog
      title={`Unblock ${bare(link.shortLink)}?`}
      action="Unblock"
      onSubmit={() => unblock.write(link.id)}
      onClose={onClose}
      busy={unblock.isPending}
      error={unblock.error}
    >
      <p>The link redirects to its destination again at once.</p>
    </FormDialog>
  );
}

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answer, apiOf, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useWrite } from '../api/queries.ts';
import { personClient } from '../app/session.ts';
import { Button } from '../ui/button.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Failure, Skeleton } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';

type BlockedLink = Schemas['BlockedLink'];

const api = apiOf(undefined);
/** Number of listed links, newest first. */
const SHOWN = 100;

/** The section for links that operators have blocked because of abuse reports. */
export function BlockedLinks() {
  const [opened, setOpened] = useState<BlockedLink>();
  const query = useQuery(
    {
      queryKey: keys.admin.list('blocked-links'),
      queryFn: ({ signal }) =>
        answer(api.GET('/admin/blocked-links', { params: { query: { limit: SHOWN } }, signal })),
    },
    personClient,
  );
  // The section stays hidden while no link is blocked, because links get here only through reports.
  if (query.data?.length === 0) return null;
  return (
    <section aria-labelledby="blocked-links" className="pb-8">
      <h2 id="blocked-links" className="px-4 pb-1 font-semibold md:px-6">
        Blocked links
      </h2>
      {query.isPending && <Skeleton className="mx-6 h-24" />}
      {query.error && <Failure error={query.error} retry={() => void query.refetch()} />}
      {query.data !== undefined && (
        <Table
          label="Blocked links"
          rows={query.data}
          keyOf={({ id }) => id}
          columns={[
            {
              name: 'Link',
              render: ({ shortLink }) => <span className="font-medium">{bare(shortLink)}</span>,
            },
            { name: 'Reason', render: ({ reason }) => reason },
            { name: 'Blocked', isMinor: true, render: ({ createdAt }) => <Time at={createdAt} /> },
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
      {opened !== undefined && <UnblockDialog link={opened} onClose={() => setOpened(undefined)} />}
    </section>
  );
}

const bare = (shortLink: string): string => shortLink.replace(/^https?:\/\//, '');

function UnblockDialog({ link, onClose }: { link: BlockedLink; onClose(): void }) {
  const unblock = useWrite({
    send: (_: undefined) =>
      api.DELETE('/admin/blocked-links/{id}', { params: { path: { id: link.id } } }),
    onDone: () => {
      void personClient.invalidateQueries({ queryKey: keys.admin.all });
      toast('Link unblocked');
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Unblock ${bare(link.shortLink)}?`}
      action="Unblock"
      onSubmit={() => unblock.write(undefined)}
      onClose={onClose}
      busy={unblock.isPending}
      error={unblock.error}
    >
      <p>The link redirects to its destination again at once.</p>
    </FormDialog>
  );
}

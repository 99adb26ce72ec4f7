import { Share2 } from 'lucide-react';
import { useState } from 'react';
import { ApiError } from '../api/error.ts';
import { useRecords } from '../app/resource.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { DocsLink } from '../ui/docs-link.tsx';
import { ListPage } from '../ui/list-page.tsx';
import { Page } from '../ui/page.tsx';
import { Empty } from '../ui/states.tsx';
import { DestinationCard } from './destination-card.tsx';
import { DestinationDialog } from './destination-dialog.tsx';

/** The page of the destinations of events. */
export function DestinationsPage() {
  const { may } = useWorkspace();
  const [isNew, setNew] = useState(false);
  const destinations = useRecords('destinations');
  if (destinations.error instanceof ApiError && destinations.error.status === 403) {
    return (
      <Page title="Event destinations">
        <Empty icon={Share2} title="Event destinations are part of the Business plan">
          Send clicks, scans and sales to your web analytics. Ask your administrator to change the
          plan. <DocsLink guide="workspaces">Compare plans</DocsLink>
        </Empty>
      </Page>
    );
  }
  return (
    <ListPage
      title="Event destinations"
      query={destinations}
      create={may('webhooks.write') && { label: 'Create destination', onClick: () => setNew(true) }}
      icon={Share2}
      emptyTitle="No destinations yet"
      purpose={
        <>
          Send clicks, scans, leads and sales to Matomo, Google Analytics, Plausible, Umami or a
          Redis stream, as they are counted.{' '}
          <DocsLink guide="event-destinations">What is sent</DocsLink>
        </>
      }
      renderRows={(rows) => (
        <ul className="flex w-full max-w-3xl flex-col gap-4 px-4 pb-10 md:px-6">
          {rows.map((row) => (
            <DestinationCard key={row.id} listed={row} />
          ))}
        </ul>
      )}
    >
      {isNew && <DestinationDialog onClose={() => setNew(false)} />}
    </ListPage>
  );
}

import { Link } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { answer, type Schemas } from '../api/client.ts';
import { NotFoundPage } from '../app/error-page.tsx';
import { useMe } from '../app/session.ts';
import { buttonLook } from '../ui/button.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Page } from '../ui/page.tsx';
import { Badge } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { AbuseReports } from './abuse-reports.tsx';
import { BlockedHosts } from './blocked-hosts.tsx';
import { BlockedLinks } from './blocked-links.tsx';
import { DeadLetters } from './dead-letters.tsx';
import { AdminSection, api, useAdminQuery } from './section.tsx';

/** Refetch interval of the queues, in ms. */
const REFRESH_MS = 5_000;
const format = new Intl.NumberFormat();

/**
 * The operators' page: processes, queues, abuse reports, blocked hosts and links, and dead letters.
 */
export function AdminPage() {
  const { isOperator } = useMe();
  if (!isOperator) return <NotFoundPage />;
  return (
    <main>
      <Page
        title="Admin"
        actions={
          <Link to="/" className={buttonLook()}>
            <ArrowLeft size={15} aria-hidden />
            Back to the console
          </Link>
        }
      >
        <Processes />
        <Queues />
        <AbuseReports />
        <BlockedHosts />
        <BlockedLinks />
        <DeadLetters />
      </Page>
    </main>
  );
}

const STATES = {
  ready: { tone: 'success', label: 'Ready' },
  not_ready: { tone: 'warning', label: 'Not ready' },
  silent: { tone: 'danger', label: 'Silent' },
} as const;

function Processes() {
  const query = useAdminQuery(
    ['processes'],
    (signal) => answer(api.GET('/admin/processes', { signal })),
    { refetchInterval: REFRESH_MS },
  );
  return (
    <AdminSection title="Processes">
      <Loaded query={query} skeleton="mx-6 h-32">
        {(processes) => (
          <Table
            label="Processes"
            rows={processes}
            keyOf={({ id }) => id}
            columns={[
              {
                name: 'Process',
                render: ({ name, state, failing }) => (
                  <span className="flex flex-wrap items-center gap-2 font-medium">
                    {name}
                    <Badge tone={STATES[state].tone}>{STATES[state].label}</Badge>
                    {state === 'not_ready' && (
                      <span className="font-normal text-muted">{failing.join(', ')}</span>
                    )}
                  </span>
                ),
              },
              { name: 'Host', isMinor: true, render: ({ host, pid }) => `${host}, ${pid}` },
              { name: 'Version', isMinor: true, render: ({ version }) => version },
              { name: 'Started', render: ({ startedAt }) => <Time at={startedAt} /> },
              { name: 'Last seen', isMinor: true, render: ({ seenAt }) => <Time at={seenAt} /> },
              {
                name: 'Event loop delay',
                isNumber: true,
                render: ({ eventLoopDelayMs }) => `${format.format(eventLoopDelayMs)} ms`,
              },
            ]}
          />
        )}
      </Loaded>
    </AdminSection>
  );
}

function Queues() {
  const query = useAdminQuery(
    ['queues'],
    (signal) => answer(api.GET('/admin/queues', { signal })),
    { refetchInterval: REFRESH_MS },
  );
  return (
    <AdminSection title="Queues">
      <Loaded query={query} skeleton="mx-6 h-32">
        {({ queues, rejectedVisits }) => (
          <>
            <Table
              label="Queues"
              rows={queues}
              keyOf={({ name }) => name}
              columns={[
                {
                  name: 'Queue',
                  render: ({ name, workers }) => (
                    <span className="flex flex-wrap items-center gap-2 font-medium">
                      {name}
                      {workers === 0 && <Badge tone="danger">No worker</Badge>}
                    </span>
                  ),
                },
                number('Waiting', ({ waiting }) => waiting),
                number('Active', ({ active }) => active),
                number('Delayed', ({ delayed }) => delayed, true),
                number('Failed', ({ failed }) => failed),
                number('Done last hour', ({ completedLastHour }) => completedLastHour, true),
                number('Failed last hour', ({ failedLastHour }) => failedLastHour, true),
                number('Workers', ({ workers }) => workers, true),
              ]}
            />
            <p className="px-4 pt-3 text-muted md:px-6">
              The database rejected {format.format(rejectedVisits)} visits.
            </p>
          </>
        )}
      </Loaded>
    </AdminSection>
  );
}

type Queue = Schemas['QueueState'];

function number(name: string, value: (row: Queue) => number, isMinor = false) {
  return { name, isNumber: true, isMinor, render: (row: Queue) => format.format(value(row)) };
}

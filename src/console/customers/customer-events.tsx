import { useQuery } from '@tanstack/react-query';
import { answer } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Badge } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';

/** Names of the kinds of events. */
const KINDS = /* text */ { lead: 'lead', sale: 'sale', refund: 'refund' };

/** Number of the workspace's newest events of each kind that are searched. */
const SEARCHED = 100;

/** The leads, sales and refunds of a customer, as far as they are among the workspace's newest. */
export function CustomerEvents({ customerId }: { customerId: string }) {
  const { api } = useWorkspace();
  const query = useQuery({
    queryKey: keys.events.list({ customerId }),
    async queryFn({ signal }) {
      const kinds = ['leads', 'sales', 'refunds'] as const;
      const events = await Promise.all(
        kinds.map((event) => {
          const query = { event, interval: 'all', limit: SEARCHED } as const;
          return answer(api.GET('/events', { params: { query }, signal }));
        }),
      );
      return events
        .flat()
        .filter((event) => 'customer' in event)
        .filter(({ customer }) => customer?.id === customerId)
        .toSorted((a, b) => b.timestamp.localeCompare(a.timestamp));
    },
  });
  return (
    <section aria-labelledby="events" className="border-t border-line pb-10">
      <h2 id="events" className="px-4 py-3 font-semibold md:px-6">
        Leads, sales and refunds
      </h2>
      <Loaded
        query={query}
        skeleton="mx-6 h-16"
        empty={
          <p className="px-4 text-muted md:px-6">
            None among the {SEARCHED} newest leads, sales and refunds of this workspace.
          </p>
        }
      >
        {(events) => (
          <Table
            label="Leads, sales and refunds"
            rows={events}
            keyOf={({ event, timestamp, eventName }) => `${event} ${timestamp} ${eventName}`}
            columns={[
              { name: 'Time', render: ({ timestamp }) => <Time at={timestamp} /> },
              {
                name: 'Event',
                render: ({ event, eventName }) => (
                  <span className="flex items-center gap-2">
                    <Badge>{KINDS[event]}</Badge> {eventName}
                  </span>
                ),
              },
              {
                name: 'Amount',
                isNumber: true,
                render: (event) => {
                  if (event.event === 'sale') return priceOf(event.sale);
                  if (event.event === 'refund') return `−${priceOf(event.refund)}`;
                  return <span className="text-muted">–</span>;
                },
              },
              {
                name: 'Link',
                isMinor: true,
                render: ({ link }) => (
                  <span className="text-muted">{link && `${link.domain}/${link.key}`}</span>
                ),
              },
            ]}
          />
        )}
      </Loaded>
    </section>
  );
}

interface Price {
  /** In the smallest unit of the currency. */
  amount: number;
  currency: string;
  /** True until the currency has an exchange rate. */
  pending?: true;
}

/** Formats an amount. */
function priceOf({ amount, currency, pending }: Price): string {
  if (pending) return 'No exchange rate yet';
  const format = new Intl.NumberFormat(undefined, { style: 'currency', currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(amount / 10 ** digits);
}

import { useInfiniteQuery } from '@tanstack/react-query';
import { formatCents, nameOfCountry, nameOfSource } from '../analytics/names.ts';
import type { Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { PAGE_SIZE } from '../api/paged.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { RecordList } from '../ui/record-list.tsx';
import { Badge } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';

type Entry = Schemas['Event'] | Schemas['CustomerMergeEvent'];

/** The clicks, leads, sales, refunds and merges of a customer, newest first. */
export function Timeline({ customerId }: { customerId: string }) {
  const { api } = useWorkspace();
  const query = useInfiniteQuery({
    queryKey: keys.events.list({ customerId }),
    queryFn: async ({ pageParam: after, signal }) => {
      const query = { pageSize: PAGE_SIZE, ...(after !== undefined && { after }) };
      const { data = [], response } = await api.GET('/customers/{id}/timeline', {
        params: { path: { id: customerId }, query },
        signal,
      });
      return { entries: data, next: response.headers.get('x-next-cursor') ?? undefined };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  });
  const rows: Entry[] = query.data?.pages.flatMap(({ entries }) => entries) ?? [];
  return (
    <section aria-labelledby="timeline" className="border-t border-line pb-10">
      <h2 id="timeline" className="px-4 py-3 font-semibold md:px-6">
        Timeline
      </h2>
      <RecordList
        query={{ ...query, rows }}
        empty={<p className="px-4 text-muted md:px-6">No clicks, leads or sales yet.</p>}
      >
        {(entries) => (
          <Table
            label="Timeline"
            rows={entries}
            keyOf={(entry) => `${entry.event} ${entry.timestamp} ${entries.indexOf(entry)}`}
            columns={[
              { name: 'Time', render: ({ timestamp }) => <Time at={timestamp} /> },
              {
                name: 'Event',
                render: (entry) => (
                  <span className="flex flex-wrap items-center gap-x-2">
                    <Badge>{entry.event}</Badge> <Details entry={entry} />
                  </span>
                ),
              },
              {
                name: 'Amount',
                isNumber: true,
                render: (entry) => <span className="whitespace-nowrap">{amountOf(entry)}</span>,
              },
              {
                name: 'Link',
                isMinor: true,
                render: (entry) => <span className="break-all text-muted">{linkOf(entry)}</span>,
              },
            ]}
          />
        )}
      </RecordList>
    </section>
  );
}

function Details({ entry }: { entry: Entry }) {
  if (entry.event === 'merge') return <span>Merged with {entry.externalId}</span>;
  if ('eventName' in entry) return <span>{entry.eventName}</span>;
  const { country, source } = placeOf(entry);
  return (
    <span className="text-muted">
      {source} · {country}
    </span>
  );
}

const placeOf = (entry: Exclude<Entry, { event: 'merge' }>) => ({
  country: nameOfCountry(entry.click?.country ?? ''),
  source: nameOfSource(entry.click?.referer ?? ''),
});

function amountOf(entry: Entry): string {
  if (entry.event === 'sale') return priceOf(entry.sale);
  return entry.event === 'refund' ? `−${priceOf(entry.refund)}` : '–';
}

const priceOf = ({ amount, pending }: { amount: number; pending?: true | undefined }): string =>
  pending ? 'No exchange rate yet' : formatCents(amount);

function linkOf(entry: Entry): string {
  if (entry.event === 'merge') return '';
  const { link, qrcode } = entry as { link?: Named | null; qrcode?: Named | null };
  const record = link ?? qrcode;
  return record ? `${record.domain}/${record.key}` : '';
}

interface Named {
  domain: string;
  key: string;
}

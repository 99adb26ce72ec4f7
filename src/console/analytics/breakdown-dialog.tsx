import { Download } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { SearchInput } from '../ui/search-input.tsx';
import { Failure, Skeleton } from '../ui/states.tsx';
import { VirtualList } from '../ui/virtual-list.tsx';
import { BarRow, type Entry, entriesOf } from './breakdown-list.tsx';
import type { Tab } from './cards.ts';
import { saveCsv } from './csv.ts';
import type { EventQuery } from './event-query.ts';
import { formatCount, nameOfMetric } from './names.ts';
import { measureOf, useAnalytics, useTotals } from './queries.ts';
import { useEventQuery } from './use-event-query.ts';

const ROW_PX = 40;

/** A dialog with all values of a tab, a search and a download. */
export function BreakdownDialog({ tab, query }: { tab: Tab; query: EventQuery }) {
  const { change } = useEventQuery();
  const [search, setSearch] = useState('');
  const { event = 'clicks' } = query;
  const rows = useAnalytics(tab.group, query);
  const all = entriesOf(tab, (rows.data ?? []) as never, measureOf(event));
  const wanted = search.trim().toLowerCase();
  const entries = all.filter(({ name, hint }) => `${name} ${hint}`.toLowerCase().includes(wanted));
  const column = tab.measure === undefined ? nameOfMetric(event) : 'Leads and sales';
  const save = () =>
    saveCsv(tab.id, [
      [tab.label, 'Details', event === 'revenue' ? 'Revenue (US cents)' : column],
      ...entries.map(({ name, hint, value }) => [name, hint, value]),
    ]);
  return (
    <Dialog
      title={tab.label}
      onClose={() => change({ group: undefined })}
      footer={
        <Button icon={Download} onClick={save} disabled={entries.length === 0}>
          CSV
        </Button>
      }
    >
      <SearchInput
        aria-label={`Search ${tab.label.toLowerCase()}`}
        placeholder="Search"
        value={search}
        onChange={({ target }) => setSearch(target.value)}
      />
      <p role="status" className="my-2 flex justify-between px-2 text-xs text-muted">
        <span>
          {formatCount(entries.length)} {entries.length === 1 ? 'value' : 'values'}
        </span>
        <span>{column}</span>
      </p>
      {rows.isPending && <Skeleton className="h-64" />}
      {rows.error && <Failure error={rows.error} retry={() => void rows.refetch()} />}
      <Entries entries={entries} tab={tab} query={query} />
    </Dialog>
  );
}

function Entries({ entries, tab, query }: { entries: Entry[]; tab: Tab; query: EventQuery }) {
  const { addFilters } = useEventQuery();
  const { event = 'clicks' } = query;
  const totals = useTotals(query);
  const isCount = tab.measure === undefined;
  return (
    <VirtualList
      label={tab.label}
      count={entries.length}
      rowPx={ROW_PX}
      keyOf={(index) => entries[index]!.key}
      className="h-96"
      rowClassName="gap-2 px-1"
    >
      {(index) => (
        <BarRow
          entry={entries[index]!}
          most={entries[0]!.value}
          total={isCount ? totals.data?.now[measureOf(event)] : undefined}
          metric={isCount ? event : 'clicks'}
          onFilter={addFilters}
        />
      )}
    </VirtualList>
  );
}

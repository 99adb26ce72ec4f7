import { Download } from 'lucide-react';
import { useState } from 'react';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { SearchInput } from '../ui/search-input.tsx';
import { inSentence } from '../ui/sentence.ts';
import { Failure, Skeleton } from '../ui/states.tsx';
import { VirtualList } from '../ui/virtual-list.tsx';
import { BarRow, useEntries } from './breakdown-list.tsx';
import type { Tab } from './cards.ts';
import { saveCsv } from './csv.ts';
import { fileNameOf } from './file-name.ts';
import { formatCount } from './names.ts';
import { useEventQuery } from './use-event-query.ts';

const ROW_PX = 40;

/** A dialog with all values of a tab, a search and a download. */
export function BreakdownDialog({ tab }: { tab: Tab }) {
  const { slug } = useWorkspace();
  const { query, change } = useEventQuery();
  const [search, setSearch] = useState('');
  const { rows, entries: all, column, bar } = useEntries(tab);
  const wanted = search.trim().toLowerCase();
  const entries = all.filter(({ name, hint }) => `${name} ${hint}`.toLowerCase().includes(wanted));
  const hasVisitors = entries.some(({ visitors }) => visitors !== undefined);
  const save = () =>
    saveCsv(fileNameOf(slug, tab.id, query, Date.now()), [
      [
        tab.label,
        'Details',
        query.event === 'revenue' ? 'Revenue (US cents)' : column,
        ...(hasVisitors ? ['Visitors'] : []),
      ],
      ...entries.map(({ name, hint, value, visitors }) => [
        name,
        hint,
        value,
        ...(hasVisitors ? [visitors ?? 0] : []),
      ]),
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
        aria-label={`Search ${inSentence(tab.label)}`}
        placeholder="Search"
        value={search}
        onChange={({ target }) => setSearch(target.value)}
      />
      <p role="status" className="my-2 flex justify-between px-2 text-xs text-muted">
        <span>
          {formatCount(entries.length)} {entries.length === 1 ? 'value' : 'values'}
        </span>
        <span className="flex gap-2">
          {hasVisitors && <span className="min-w-14 text-right">Visitors</span>}
          <span className="min-w-14 text-right">{column}</span>
        </span>
      </p>
      {rows.isPending && <Skeleton className="h-64" />}
      {rows.error && <Failure error={rows.error} retry={() => void rows.refetch()} />}
      <VirtualList
        label={tab.label}
        count={entries.length}
        rowPx={ROW_PX}
        keyOf={(index) => entries[index]!.key}
        className="h-96"
        rowClassName="gap-2 px-1"
      >
        {(index) => <BarRow entry={entries[index]!} most={entries[0]!.value} isWide {...bar} />}
      </VirtualList>
    </Dialog>
  );
}

import { ArrowDownWideNarrow } from 'lucide-react';
import { Suspense, useCallback } from 'react';
import { lazyPart } from '../ui/lazy-part.tsx';
import { Menu } from '../ui/menu.tsx';
import { FilterButton } from './filters.tsx';
import type { SearchProps } from './list-kind.ts';
import { SearchField } from './search-field.tsx';
import { Views } from './views.tsx';

const RecentBulkChanges = lazyPart(() => import('./bulk-edit/recent.tsx'), 'RecentBulkChanges');

/** The toolbar with search, filters, sort order and saved views. */
export function Toolbar({ kind, search, setSearch }: SearchProps) {
  const { list, noun, searched, sorts } = kind;
  const [usual = ''] = Object.keys(sorts);
  const sort = search['sort'] ?? usual;
  const find = useCallback((text: string) => setSearch({ search: text }, true), [setSearch]);
  return (
    <div className="flex flex-wrap items-center gap-2 px-4 pb-2 md:px-6">
      <SearchField
        label={`Search ${noun.many} by ${searched}`}
        placeholder={`Search ${noun.many}`}
        value={search['search'] ?? ''}
        onChange={find}
        list={list}
      />
      <FilterButton kind={kind} search={search} setSearch={setSearch} />
      <Menu
        label="Sort by"
        button={{
          icon: ArrowDownWideNarrow,
          children: (
            <>
              <span className="sr-only">Sort by</span>
              {sorts[sort] ?? sort}
            </>
          ),
        }}
        items={Object.entries(sorts).map(([value, word]) => ({
          label: word,
          isChecked: value === sort,
          onSelect: () => setSearch({ sort: value === usual ? '' : value }),
        }))}
      />
      <Views kind={kind} search={search} setSearch={setSearch} />
      <Suspense>
        <RecentBulkChanges kind={kind} />
      </Suspense>
    </div>
  );
}

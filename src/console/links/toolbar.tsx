import { useIsFetching } from '@tanstack/react-query';
import { ArrowDownWideNarrow, Bookmark, Search, Trash2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useShortcuts } from '../app/shortcuts.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button, buttonLook, IconButton } from '../ui/button.tsx';
import { inputLook } from '../ui/field.tsx';
import { Menu, Popover } from '../ui/menu.tsx';
import { useDebounced } from '../ui/use-debounced.ts';
import { useStored } from '../ui/use-stored.ts';
import { FilterButton } from './filters.tsx';
import { FILTERS, type LinksSearch } from './question.ts';

interface ToolbarProps {
  search: LinksSearch;
  setSearch(change: LinksSearch, replace?: boolean): void;
}

/** Shortest pause in typing after which the list is asked for, in ms. */
const TYPING_MS = 60;

const SORTS: Record<string, string> = {
  createdAt: 'Newest',
  clicks: 'Most clicks',
  lastClicked: 'Last clicked',
};

/** Search, filters, sorting and saved views. */
export function Toolbar({ search, setSearch }: ToolbarProps) {
  const sort = search.sort ?? 'createdAt';
  return (
    <div className="flex flex-wrap items-center gap-2 px-4 pb-2 md:px-6">
      <SearchField search={search} setSearch={setSearch} />
      <FilterButton search={search} setSearch={setSearch} />
      <Menu
        label="Sort by"
        button={{
          className: buttonLook(),
          children: (
            <>
              <ArrowDownWideNarrow size={15} aria-hidden />
              <span className="sr-only">Sort by</span>
              {SORTS[sort] ?? sort}
            </>
          ),
        }}
        items={Object.entries(SORTS).map(([value, label]) => ({
          label,
          isChecked: value === sort,
          onSelect: () => setSearch({ sort: value === 'createdAt' ? '' : value }),
        }))}
      />
      <Views search={search} setSearch={setSearch} />
    </div>
  );
}

function SearchField({ search, setSearch }: ToolbarProps) {
  const [text, setText] = useState(search.search ?? '');
  const settled = useDebounced(text, TYPING_MS);
  const field = useRef<HTMLInputElement>(null);
  const sent = useRef(search.search ?? '');
  // One question at a time: the API would go on with those that nobody waits for any more.
  const isAsking = useIsFetching({ queryKey: ['links', 'list'] }) > 0;
  useEffect(() => {
    if (settled === sent.current || isAsking) return;
    sent.current = settled;
    setSearch({ search: settled.trim() }, true);
  }, [settled, setSearch, isAsking]);
  useEffect(() => {
    // The address changed by itself: a saved view, or the browser's back button.
    if ((search.search ?? '') === sent.current.trim()) return;
    sent.current = search.search ?? '';
    setText(sent.current);
  }, [search.search]);
  useShortcuts({ '/': () => field.current?.focus() });
  return (
    <div className="relative min-w-40 flex-1 max-md:basis-full md:max-w-sm">
      <Search
        size={15}
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-muted"
      />
      <input
        ref={field}
        type="search"
        aria-label="Search links by slug or destination"
        placeholder="Search slugs and destinations"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && field.current?.blur()}
        className={`${inputLook} h-8 pl-8 max-md:h-10`}
      />
    </div>
  );
}

/** Named questions of this workspace, kept in this browser. */
function Views({ search, setSearch }: ToolbarProps) {
  const { slug } = useWorkspace();
  const [views, setViews] = useStored<Record<string, LinksSearch>>(`views:${slug}`, {});
  const [name, setName] = useState('');
  const names = [...FILTERS, 'sort'] as const;
  const open = (view: LinksSearch) =>
    setSearch(Object.fromEntries(names.map((one) => [one, view[one] ?? ''])));
  const save = () => {
    const shown = names.flatMap((one) => (search[one] === undefined ? [] : [[one, search[one]]]));
    setViews({ ...views, [name.trim()]: Object.fromEntries(shown) });
    setName('');
  };
  return (
    <Popover
      label="Saved views"
      className="w-72"
      button={{
        className: buttonLook(),
        children: (
          <>
            <Bookmark size={15} aria-hidden />
            Views
          </>
        ),
      }}
    >
      {(close) => (
        <div className="flex flex-col gap-1">
          {Object.entries(views).map(([title, view]) => (
            <div key={title} className="flex items-center">
              <button
                type="button"
                className="h-8 flex-1 truncate rounded-md px-2 text-left hover:bg-hover"
                onClick={() => {
                  open(view);
                  close();
                }}
              >
                {title}
              </button>
              <IconButton
                icon={Trash2}
                label={`Delete the view ${title}`}
                onClick={() => {
                  const { [title]: _deleted, ...others } = views;
                  setViews(others);
                }}
              />
            </div>
          ))}
          <form
            className="flex gap-1 p-1"
            onSubmit={(event) => {
              event.preventDefault();
              save();
              close();
            }}
          >
            <input
              aria-label="Name of the view"
              placeholder="Save this view as …"
              required
              maxLength={60}
              value={name}
              onChange={(event) => setName(event.target.value)}
              className={`${inputLook} h-8`}
            />
            <Button type="submit">Save</Button>
          </form>
        </div>
      )}
    </Popover>
  );
}

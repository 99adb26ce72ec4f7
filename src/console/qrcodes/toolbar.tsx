import { useQuery } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useShortcuts } from '../app/shortcuts.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { inputLook } from '../ui/field.tsx';
import { useDebounced } from '../ui/use-debounced.ts';
import { CONTENT_FORMS } from './content-fields.ts';
import { type Filter, foldersQuery, type QrCodesSearch, tagsQuery } from './queries.ts';

interface ToolbarProps {
  search: QrCodesSearch;
  setSearch(change: QrCodesSearch, replace?: boolean): void;
  count: number | undefined;
}

/** Pause in typing after which the list is asked for, in ms. */
const TYPING_MS = 60;

/** Search, filters and sorting. */
export function Toolbar({ search, setSearch, count }: ToolbarProps) {
  const { api } = useWorkspace();
  const folders = useQuery(foldersQuery(api)).data ?? [];
  const tags = useQuery(tagsQuery(api)).data ?? [];
  const filter = (name: Filter | 'sort', label: string, options: ReactNode) => (
    <select
      aria-label={label}
      value={search[name] ?? ''}
      onChange={({ target }) => setSearch({ [name]: target.value })}
      className={`${inputLook} h-8 max-w-44 shrink-0 max-md:h-10`}
    >
      {options}
    </select>
  );
  const named = (items: readonly { id: string; name: string }[]) =>
    items.map(({ id, name }) => (
      <option key={id} value={id}>
        {name}
      </option>
    ));
  return (
    <div className="flex flex-wrap items-center gap-2 px-4 pb-3 md:px-6">
      <SearchField search={search} setSearch={setSearch} />
      <div className="flex gap-2 max-md:-mx-4 max-md:w-screen max-md:overflow-x-auto max-md:px-4 max-md:py-1">
        {filter(
          'type',
          'Type',
          <>
            <option value="">All types</option>
            {Object.entries(CONTENT_FORMS).map(([name, { label }]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </>,
        )}
        {filter(
          'format',
          'Kind',
          <>
            <option value="">All kinds</option>
            <option value="dynamic">Dynamic</option>
            <option value="static">Static</option>
          </>,
        )}
        {folders.length > 0 &&
          filter(
            'folderId',
            'Folder',
            <>
              <option value="">All folders</option>
              {named(folders)}
            </>,
          )}
        {tags.length > 0 &&
          filter(
            'tagIds',
            'Tag',
            <>
              <option value="">All tags</option>
              {named(tags)}
            </>,
          )}
        {filter(
          'showArchived',
          'Archive',
          <>
            <option value="">Without archived</option>
            <option value="true">With archived</option>
          </>,
        )}
        {filter(
          'sort',
          'Sort by',
          <>
            <option value="">Newest first</option>
            <option value="scans">Most scans</option>
            <option value="lastClicked">Last scanned</option>
          </>,
        )}
      </div>
      <span className="text-muted tabular-nums" role="status">
        {count === undefined ? '' : `${count.toLocaleString()} ${count === 1 ? 'code' : 'codes'}`}
      </span>
    </div>
  );
}

function SearchField({ search, setSearch }: Omit<ToolbarProps, 'count'>) {
  const [text, setText] = useState(search.search ?? '');
  const settled = useDebounced(text.trim(), TYPING_MS);
  const field = useRef<HTMLInputElement>(null);
  const sent = useRef(search.search ?? '');
  useEffect(() => {
    if (settled === sent.current) return;
    sent.current = settled;
    setSearch({ search: settled }, true);
  }, [settled, setSearch]);
  useShortcuts({ '/': () => field.current?.focus() });
  return (
    <div className="relative min-w-40 flex-1 max-md:basis-full md:max-w-xs">
      <Search
        size={15}
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-muted"
      />
      <input
        ref={field}
        type="search"
        aria-label="Search QR codes by slug or content"
        placeholder="Search slugs and addresses"
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => event.key === 'Escape' && field.current?.blur()}
        className={`${inputLook} h-8 pl-8 max-md:h-10`}
      />
    </div>
  );
}

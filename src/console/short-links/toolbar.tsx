import { ArrowDownWideNarrow, Bookmark, Trash2 } from 'lucide-react';
import { useCallback, useState } from 'react';
import { useWorkspace } from '../app/workspace.tsx';
import { Button, buttonLook, IconButton } from '../ui/button.tsx';
import { inputLook } from '../ui/field.tsx';
import { Menu, Popover } from '../ui/menu.tsx';
import { useStored } from '../ui/use-stored.ts';
import { FilterButton } from './filters.tsx';
import type { ListKind, ListSearch } from './list-kind.ts';
import { SearchField } from './search-field.tsx';

interface ToolbarProps {
  kind: ListKind;
  search: ListSearch;
  setSearch(change: ListSearch, replace?: boolean): void;
}

/** Search, filters, sorting and saved views. */
export function Toolbar({ kind, search, setSearch }: ToolbarProps) {
  const { noun, label, searched, sorts } = kind;
  const [usual = ''] = Object.keys(sorts);
  const sort = search['sort'] ?? usual;
  const find = useCallback((text: string) => setSearch({ search: text }, true), [setSearch]);
  return (
    <div className="flex flex-wrap items-center gap-2 px-4 pb-2 md:px-6">
      <SearchField
        label={`Search ${label} by ${searched}`}
        placeholder={`Search ${searched}`}
        value={search['search'] ?? ''}
        onChange={find}
        noun={noun}
      />
      <FilterButton kind={kind} search={search} setSearch={setSearch} />
      <Menu
        label="Sort by"
        button={{
          className: buttonLook(),
          children: (
            <>
              <ArrowDownWideNarrow size={15} aria-hidden />
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
    </div>
  );
}

/** Named questions of this workspace, kept in this browser. */
function Views({ kind, search, setSearch }: ToolbarProps) {
  const { slug } = useWorkspace();
  const [views, setViews] = useStored<Record<string, ListSearch>>(
    kind.noun === 'links' ? `views:${slug}` : `views:${kind.noun}:${slug}`,
    {},
  );
  const [name, setName] = useState('');
  const names = [...kind.filters, 'sort'];
  const open = (view: ListSearch) =>
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

import { useQuery } from '@tanstack/react-query';
import { Bookmark } from 'lucide-react';
import { useState } from 'react';
import { useResource } from '../app/resource.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Popover } from '../ui/menu.tsx';
import { SavedList } from '../ui/saved-list.tsx';
import type { ListSearch, SearchProps } from './list-kind.ts';
import { viewsQuery } from './queries.ts';

const TEXTS = {
  none: 'No views yet',
  name: 'View name',
  save: 'Save this view as …',
  deletionOf: (name: string) => `Delete the view ${name}`,
};

/**
 * The saved views of a list, each with filters and a sort order: the workspace’s and the person’s
 * own views.
 */
export function Views(props: SearchProps) {
  const { may } = useWorkspace();
  if (!may('views.read')) return null;
  return (
    <Popover label="Saved views" className="w-72" button={{ icon: Bookmark, children: 'Views' }}>
      {(close) => <ViewList {...props} close={close} />}
    </Popover>
  );
}

function ViewList({ kind, search, setSearch, close }: SearchProps & { close(): void }) {
  const { list } = kind;
  const names = [...kind.filters, 'sort'];
  const { api, may } = useWorkspace();
  const [isOwn, setOwn] = useState(false);
  const views = useQuery(viewsQuery(api, list));
  const { create, update, remove } = useResource('views', { onCreated: close, onUpdated: close });
  /** Saves the search as a view, or updates the view with the same name. */
  const save = (name: string) => {
    const pairs = names.flatMap((one): [string, string][] =>
      search[one] === undefined ? [] : [[one, search[one]]],
    );
    const query = new URLSearchParams(pairs).toString();
    const existing = views.data?.find(
      (view) => view.shared === !isOwn && view.name.toLowerCase() === name.toLowerCase(),
    );
    if (existing === undefined) create.write({ list, name, query, shared: !isOwn });
    else update.write({ seen: existing, body: { query } });
  };
  return (
    <SavedList
      texts={TEXTS}
      records={views.data}
      mayWrite={may('views.write')}
      busy={create.isPending || update.isPending}
      error={create.error ?? update.error ?? remove.error ?? views.error}
      isOwn={({ shared }) => !shared}
      choice={
        <label className="flex items-center gap-2 px-1 max-md:min-h-11">
          <input
            type="checkbox"
            checked={isOwn}
            onChange={(event) => setOwn(event.target.checked)}
          />
          Only for me
        </label>
      }
      onOpen={({ query }) => {
        const saved = new URLSearchParams(query);
        const pairs = names.map((one) => [one, saved.get(one) ?? '']);
        setSearch(Object.fromEntries(pairs) as ListSearch);
        close();
      }}
      onSave={save}
      onDelete={(view) => remove.write(view)}
    />
  );
}

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Bookmark } from 'lucide-react';
import { useState } from 'react';
import { answer, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useWrite } from '../api/queries.ts';
import { changeRecord, deleteRecord } from '../app/changes.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { buttonLook } from '../ui/button.tsx';
import { Popover } from '../ui/menu.tsx';
import { SavedList } from '../ui/saved-list.tsx';
import { toast } from '../ui/toasts.tsx';
import type { ListKind, ListSearch } from './list-kind.ts';

interface ViewsProps {
  kind: ListKind;
  search: ListSearch;
  setSearch(change: ListSearch): void;
}

/** Named filters and orders of a list: those of the workspace, and the person’s own. */
export function Views(props: ViewsProps) {
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
      {(close) => <ViewList {...props} close={close} />}
    </Popover>
  );
}

/** Most views that the API returns at once. */
const PAGE_SIZE = 100;

function ViewList({ kind, search, setSearch, close }: ViewsProps & { close(): void }) {
  const { list } = kind;
  const names = [...kind.filters, 'sort'];
  const { api, may } = useWorkspace();
  const client = useQueryClient();
  const [isOwn, setOwn] = useState(false);
  const views = useQuery({
    queryKey: keys.views.list(list),
    // There may be as many shared views as own ones.
    queryFn: async ({ signal }) => {
      const page = (number: number) =>
        answer(
          api.GET('/views', {
            params: { query: { list, page: number, pageSize: PAGE_SIZE } },
            signal,
          }),
        );
      const first = await page(1);
      return first.length < PAGE_SIZE ? first : [...first, ...(await page(2))];
    },
  });
  const refresh = () => client.invalidateQueries({ queryKey: keys.views.list(list) });
  const save = useWrite({
    send: (name: string, key) => {
      const given = names.flatMap((one): [string, string][] =>
        search[one] === undefined ? [] : [[one, search[one]]],
      );
      const query = new URLSearchParams(given).toString();
      const known = views.data?.find(
        (view) => view.shared === !isOwn && view.name.toLowerCase() === name.toLowerCase(),
      );
      return known === undefined
        ? answer(
            api.POST('/views', {
              params: { header: { 'Idempotency-Key': key } },
              body: { list, name, query, shared: !isOwn },
            }),
          )
        : changeRecord({ api, path: '/views/{id}', of: { id: known.id }, seen: known }, { query });
    },
    onDone: ({ name }) => {
      void refresh();
      toast(`View “${name}” saved`);
      close();
    },
  });
  const remove = useWrite({
    send: (seen: Schemas['View']) =>
      deleteRecord({ api, path: '/views/{id}', of: { id: seen.id }, seen }),
    onDone: refresh,
  });
  return (
    <SavedList
      noun="view"
      records={views.data}
      mayWrite={may('views.write')}
      busy={save.isPending}
      error={save.error ?? remove.error ?? views.error}
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
      onSave={save.write}
      onDelete={(view) => remove.write(view)}
    />
  );
}

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Link2, Plus } from 'lucide-react';
import { lazy, Suspense, useCallback, useState } from 'react';
import { useShortcuts } from '../app/shortcuts.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';
import { Empty } from '../ui/states.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { ActiveFilters, hasFilters } from './filters.tsx';
import { LinkList } from './list.tsx';
import { deleteLinks } from './pending.ts';
import { countQuery, type LinksSearch, PAGE_ROWS, pageQuery } from './question.ts';
import { Toolbar } from './toolbar.tsx';

const LinkDialog = lazy(() =>
  import('./edit/dialog.tsx').then((module) => ({ default: module.LinkDialog })),
);

/** The links of a workspace. The address bar holds filters, sorting, and the link that is open. */
export function LinksPage() {
  const { slug, api, may } = useWorkspace();
  const client = useQueryClient();
  const search: LinksSearch = useSearch({ from: '/$workspace/links' });
  const navigate = useNavigate();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const mayWrite = may('links.write');

  const setSearch = useCallback(
    (change: LinksSearch, replace = false) =>
      void navigate({
        to: '/$workspace/links',
        params: { workspace: slug },
        search: (before) => defined({ ...before, ...change }),
        replace,
      }),
    [navigate, slug],
  );
  const { data: first } = useQuery(pageQuery(api, search, 0));
  // A first page that is not full is the whole list; counting takes longer than answering it.
  const isFull = first?.length === PAGE_ROWS;
  const count = useQuery({
    ...countQuery(api, search),
    enabled: isFull,
    placeholderData: (before) => before,
  });
  const total = first === undefined || isFull ? count.data : first.length;
  const isEmpty = first?.length === 0 && !hasFilters(search);
  const remove = (ids: readonly string[]) => {
    deleteLinks({ api, client }, ids);
    setSelected(new Set());
  };
  useShortcuts({
    ...(mayWrite && { c: () => setSearch({ new: 'link' }) }),
    Escape: () => setSelected(new Set()),
  });

  return (
    <Page
      title="Links"
      isFixed
      actions={
        mayWrite && (
          <Button look="primary" icon={Plus} onClick={() => setSearch({ new: 'link' })}>
            Create link
          </Button>
        )
      }
    >
      {isEmpty ? (
        <Empty
          icon={Link2}
          title="No links yet"
          action={
            mayWrite && (
              <Button look="primary" icon={Plus} onClick={() => setSearch({ new: 'link' })}>
                Create the first link
              </Button>
            )
          }
        >
          A short link leads to any address, by rules if you like, and counts its visits. Put it
          into a message, a post, or on paper as a QR code.
        </Empty>
      ) : (
        <>
          <Toolbar search={search} setSearch={setSearch} />
          <ActiveFilters search={search} setSearch={setSearch} />
          <LinkList
            search={search}
            total={total}
            selected={selected}
            setSelected={setSelected}
            onOpen={(id) => setSearch({ edit: id })}
            onDelete={remove}
            clearFilters={() =>
              void navigate({ to: '/$workspace/links', params: { workspace: slug } })
            }
          />
          {selected.size > 0 && (
            <BulkBar
              selected={selected}
              clear={() => setSelected(new Set())}
              onDelete={() => remove([...selected])}
            />
          )}
        </>
      )}
      <Suspense>
        {mayWrite && search.new === 'link' && search.edit === undefined && (
          <LinkDialog key="new" onClose={() => setSearch({ new: '' })} />
        )}
        {search.edit !== undefined && (
          <LinkDialog key={search.edit} id={search.edit} onClose={() => setSearch({ edit: '' })} />
        )}
      </Suspense>
    </Page>
  );
}

const defined = (search: LinksSearch): LinksSearch =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== ''));

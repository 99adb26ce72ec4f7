import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Link2, Plus, SearchX } from 'lucide-react';
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { part } from '../api/reachability.ts';
import { useShortcuts } from '../app/shortcuts.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { BulkBar } from '../short-links/bulk-bar.tsx';
import { ActiveFilters } from '../short-links/filters.tsx';
import { RecordGrid } from '../short-links/list.tsx';
import { hasFilters, type ListSearch } from '../short-links/list-kind.ts';
import { countText, useFirstPage, withoutEmpty } from '../short-links/listing.ts';
import { Toolbar } from '../short-links/toolbar.tsx';
import { Button } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';
import { Empty, Failure } from '../ui/states.tsx';
import { changeLinks, deleteLinks } from './pending.ts';
import { countQuery, LINK_LIST, type Link, pageQuery } from './question.ts';
import { LinkCells, nameOf } from './row.tsx';

const LinkDialog = lazy(
  part(() => import('./edit/dialog.tsx').then((module) => ({ default: module.LinkDialog }))),
);

/** The links of a workspace. The address bar holds filters, sorting, and the link that is open. */
export function LinksPage() {
  const { slug, api, may } = useWorkspace();
  const client = useQueryClient();
  const search: ListSearch = useSearch({ from: '/$workspace/links' });
  const navigate = useNavigate();
  const [selected, setSelected] = useState<ReadonlyMap<string, Link>>(new Map());
  const mayWrite = may('links.write');

  const setSearch = useCallback(
    (change: ListSearch, replace = false) =>
      void navigate({
        to: '/$workspace/links',
        params: { workspace: slug },
        search: (before) => withoutEmpty({ ...before, ...change }),
        replace,
      }),
    [navigate, slug],
  );
  const { first, total } = useFirstPage(pageQuery(api, search, 0), countQuery(api, search));
  const isNone = first.data?.length === 0;
  const clear = () => setSelected(new Map());
  const remove = (ids: readonly string[]) => {
    deleteLinks({ api, client }, ids);
    clear();
  };
  const open = useCallback(({ id }: Link) => setSearch({ edit: id }), [setSearch]);
  const latest = useRef(remove);
  useEffect(() => {
    latest.current = remove;
  });
  const cells = useCallback(
    (link: Link) => (
      <LinkCells link={link} onOpen={open} onDelete={({ id }) => latest.current([id])} />
    ),
    [open],
  );
  useShortcuts({
    ...(mayWrite && { c: () => setSearch({ new: 'link' }) }),
    Escape: clear,
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
      <Toolbar kind={LINK_LIST} search={search} setSearch={setSearch} />
      <ActiveFilters kind={LINK_LIST} search={search} setSearch={setSearch} />
      {first.error && first.data === undefined ? (
        <Failure error={first.error} retry={() => void first.refetch()} />
      ) : isNone && !hasFilters(LINK_LIST, search) ? (
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
      ) : isNone ? (
        <Empty
          icon={SearchX}
          title="No link matches"
          action={
            <Button
              onClick={() =>
                void navigate({ to: '/$workspace/links', params: { workspace: slug } })
              }
            >
              Show all links
            </Button>
          }
        >
          The search looks at slugs and destinations. Archived links are found by the filter for
          them.
        </Empty>
      ) : (
        <>
          <p role="status" className="px-4 pb-1 text-xs text-muted md:px-6">
            {countText(total, 'link')}
          </p>
          <RecordGrid
            label="Links"
            rowPx={ROW_PX}
            total={total}
            pageQuery={(page) => pageQuery(api, search, page)}
            selected={selected}
            setSelected={setSelected}
            selectScope="links.write"
            onOpen={open}
            nameOf={nameOf}
            cells={cells}
          />
        </>
      )}
      {selected.size > 0 && (
        <BulkBar
          label="links"
          count={selected.size}
          clear={clear}
          onChange={(edit) => {
            changeLinks({ api, client }, [...selected.keys()], edit);
            clear();
          }}
          onDelete={() => remove([...selected.keys()])}
        />
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

/** Height of a row, in pixels. */
const ROW_PX = 60;

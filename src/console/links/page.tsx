import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Link2, Plus } from 'lucide-react';
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { part } from '../api/reachability.ts';
import { useShortcuts } from '../app/shortcuts.ts';
import { useWorkspace } from '../app/workspace.tsx';
import type { BulkEdit } from '../short-links/bulk-bar.tsx';
import type { ListSearch } from '../short-links/list-kind.ts';
import { withoutEmpty } from '../short-links/listing.ts';
import { Records } from '../short-links/records.tsx';
import { useSelection } from '../short-links/selection.ts';
import { Button } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';
import { Empty } from '../ui/states.tsx';
import { whenIdle } from '../ui/when-idle.ts';
import { DeleteLinksDialog, needsQuestion } from './delete-dialog.tsx';
import { duplicateLink } from './duplicate.ts';
import { changeLinks, deleteLinks } from './pending.ts';
import { countQuery, LINK_LIST, type Link, pageQuery } from './queries.ts';
import { type LinkActions, LinkCells, nameOf } from './row.tsx';

const loadDialog = part(async () => ({
  default: (await import('./edit/dialog.tsx')).LinkDialog,
}));
const LinkDialog = lazy(loadDialog);
const QrDialog = lazy(part(async () => ({ default: (await import('./edit/aside.tsx')).QrDialog })));

/** The links of a workspace. The address bar holds filters, sorting, and the link that is open. */
export function LinksPage() {
  const { slug, api, may } = useWorkspace();
  const client = useQueryClient();
  const search: ListSearch = useSearch({ from: '/$workspace/links' });
  const navigate = useNavigate();
  const selection = useSelection<Link>();
  const [dialog, setDialog] = useState<{ what: 'delete' | 'qr'; links: readonly Link[] }>();
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
  const create = () => setSearch({ new: 'link' });
  const change = (links: readonly Link[], edit: BulkEdit) =>
    changeLinks({ api, client }, links, edit, () => selection.keep(links, edit.shown));
  const remove = (links: readonly Link[]) => {
    deleteLinks({ api, client }, links);
    selection.drop(links);
  };
  const askToRemove = (links: readonly Link[]) =>
    needsQuestion(links) ? setDialog({ what: 'delete', links }) : remove(links);
  const latest = useRef({ change, askToRemove });
  useEffect(() => {
    latest.current = { change, askToRemove };
  });
  const actions = useMemo<LinkActions>(
    () => ({
      open: ({ id }) => setSearch({ edit: id }),
      showQrCode: (link) => setDialog({ what: 'qr', links: [link] }),
      duplicate: (link) =>
        void duplicateLink({ api, client }, link).then(
          (copy) => copy && setSearch({ edit: copy.id }),
        ),
      change: (link, edit) => latest.current.change([link], edit),
      remove: (link) => latest.current.askToRemove([link]),
    }),
    [api, client, setSearch],
  );
  const cells = useCallback((link: Link) => <LinkCells link={link} actions={actions} />, [actions]);
  useShortcuts(mayWrite ? { c: create } : {});
  useEffect(() => whenIdle(() => void loadDialog()), []);

  return (
    <Page
      title="Links"
      isFixed
      actions={
        mayWrite && (
          <Button look="primary" icon={Plus} onClick={create}>
            Create link
          </Button>
        )
      }
    >
      <Records
        kind={LINK_LIST}
        search={search}
        setSearch={setSearch}
        showAll={() => void navigate({ to: '/$workspace/links', params: { workspace: slug } })}
        pageQuery={(page) => pageQuery(api, search, page)}
        countQuery={countQuery(api, search)}
        selection={selection}
        maySelect={mayWrite}
        empty={
          <Empty
            icon={Link2}
            title="No links yet"
            action={
              mayWrite && (
                <Button look="primary" icon={Plus} onClick={create}>
                  Create the first link
                </Button>
              )
            }
          >
            Shorten any URL, choose where each visitor goes, and see every click. Share it anywhere,
            or print it as a QR code.
          </Empty>
        }
        rowPx={ROW_PX}
        cells={cells}
        nameOf={nameOf}
        copyOf={({ shortLink }) => shortLink}
        onOpen={actions.open}
        onChange={mayWrite ? change : undefined}
        onDelete={askToRemove}
      />
      <Suspense>
        {mayWrite && search['new'] === 'link' && search['edit'] === undefined && (
          <LinkDialog key="new" onClose={() => setSearch({ new: '' })} />
        )}
        {search['edit'] !== undefined && (
          <LinkDialog
            key={search['edit']}
            id={search['edit']}
            onClose={() => setSearch({ edit: '' })}
          />
        )}
        {dialog?.what === 'qr' && dialog.links[0] !== undefined && (
          <QrDialog link={dialog.links[0]} onClose={() => setDialog(undefined)} />
        )}
      </Suspense>
      {dialog?.what === 'delete' && (
        <DeleteLinksDialog
          links={dialog.links}
          onDelete={() => remove(dialog.links)}
          onClose={() => setDialog(undefined)}
        />
      )}
    </Page>
  );
}

/** Height of a row, in pixels. */
const ROW_PX = 60;

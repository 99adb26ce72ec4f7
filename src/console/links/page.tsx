import { useQueryClient } from '@tanstack/react-query';
import { Link as RouterLink, useSearch } from '@tanstack/react-router';
import { Link2, Plus, QrCode, Table } from 'lucide-react';
import { Suspense, useCallback, useMemo, useState } from 'react';
import { useWorkspace } from '../app/workspace.tsx';
import { BarLabel } from '../short-links/bar-label.tsx';
import type { ListSearch } from '../short-links/list-kind.ts';
import { type RecordActions, RecordPage, useSetSearch } from '../short-links/record-page.tsx';
import { Button, buttonLook } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { lazyPart, usePreload } from '../ui/lazy-part.tsx';
import { Empty } from '../ui/states.tsx';
import { duplicateLink } from './duplicate.ts';
import { LINKS, type Link } from './kind.ts';
import { type LinkActions, LinkCells } from './row.tsx';

const LinkDialog = lazyPart(() => import('./edit/dialog.tsx'), 'LinkDialog');
const QrDialog = lazyPart(() => import('./edit/qr-code.tsx'), 'QrDialog');
const ImagesDialog = lazyPart(() => import('./images-dialog.tsx'), 'ImagesDialog');
const PARTS = [LinkDialog, QrDialog, ImagesDialog];

/** The page that lists a workspace's links; the URL also holds the id of the link in the form. */
export function LinksPage() {
  const { api, slug, may } = useWorkspace();
  const client = useQueryClient();
  const search: ListSearch = useSearch({ from: '/$workspace/links' });
  const setSearch = useSetSearch(LINKS);
  const [qrLink, setQrLink] = useState<Link>();
  const [areImagesShown, showImages] = useState(false);
  const mayWrite = may('links.write');
  const create = () => setSearch({ new: 'link' });
  const edit = useCallback(({ id }: Link) => setSearch({ edit: id }), [setSearch]);
  const ofLinks = useMemo<LinkActions>(
    () => ({
      showQrCode: setQrLink,
      duplicate: (link) =>
        void duplicateLink({ api, client }, link).then(
          (copy) => copy && setSearch({ edit: copy.id }),
        ),
    }),
    [api, client, setSearch],
  );
  const cells = useCallback(
    (link: Link, actions: RecordActions<Link>) => (
      <LinkCells link={link} actions={{ ...actions, ...ofLinks }} />
    ),
    [ofLinks],
  );
  usePreload(PARTS);

  return (
    <RecordPage
      kind={LINKS}
      search={search}
      setSearch={setSearch}
      create={create}
      createButton={
        <>
          {may('imports.write') && (
            <RouterLink
              to="/$workspace/links/batch"
              params={{ workspace: slug }}
              className={classes(buttonLook(), 'max-md:min-w-11')}
              aria-label="Create many"
            >
              <Table size={15} aria-hidden />
              <span className="max-md:sr-only">Create many</span>
            </RouterLink>
          )}
          <Button look="primary" icon={Plus} onClick={create}>
            Create link
          </Button>
        </>
      }
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
      edit={edit}
      cells={cells}
      actions={
        may('qrcodes.read') && (
          <Button icon={QrCode} onClick={() => showImages(true)}>
            <BarLabel>QR codes</BarLabel>
          </Button>
        )
      }
    >
      {(selected) => (
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
          {areImagesShown && (
            <ImagesDialog ids={selected.map(({ id }) => id)} onClose={() => showImages(false)} />
          )}
          {qrLink !== undefined && <QrDialog link={qrLink} onClose={() => setQrLink(undefined)} />}
        </Suspense>
      )}
    </RecordPage>
  );
}

import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { LayoutGrid, Plus, QrCode as QrCodeIcon, SearchX } from 'lucide-react';
import { lazy, Suspense, useCallback, useState } from 'react';
import { useShortcuts } from '../app/shortcuts.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button, buttonLook } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';
import { Empty, Failure } from '../ui/states.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { QrCodeList } from './list.tsx';
import type { QrCode } from './look.ts';
import { countQuery, FILTERS, pageQuery, type QrCodesSearch } from './queries.ts';
import { SelectionBar } from './selection-bar.tsx';
import { Toolbar } from './toolbar.tsx';

const SheetDialog = lazy(async () => ({
  default: (await import('./sheet-dialog.tsx')).SheetDialog,
}));

/** The QR codes of a workspace. */
export function QrCodesPage() {
  const { api, slug, may } = useWorkspace();
  const navigate = useNavigate();
  const search = useSearch({ from: '/$workspace/qrcodes' }) as QrCodesSearch;
  const count = useQuery({ ...countQuery(api, search), placeholderData: (before) => before });
  const first = useQuery(pageQuery(api, search, 0));
  const [selected, setSelected] = useState<ReadonlyMap<string, QrCode>>(new Map());
  const [dialog, setDialog] = useState<'sheet' | readonly QrCode[]>();
  const setSearch = useCallback(
    (change: QrCodesSearch, replace = false) =>
      void navigate({
        to: '/$workspace/qrcodes',
        params: { workspace: slug },
        search: (now) => withoutEmpty({ ...now, ...change }),
        replace,
      }),
    [navigate, slug],
  );
  const mayWrite = may('qrcodes.write');
  const clear = () => setSelected(new Map());
  const create = () =>
    void navigate({ to: '/$workspace/qrcodes/new', params: { workspace: slug } });
  useShortcuts({ ...(mayWrite && { c: create }), Escape: clear });
  const isFiltered = FILTERS.some((name) => search[name] !== undefined);
  const rows = Math.max(count.data ?? 0, first.data?.length ?? 0);
  const newLink = mayWrite && (
    <Link
      to="/$workspace/qrcodes/new"
      params={{ workspace: slug }}
      className={buttonLook('primary')}
    >
      <Plus size={15} aria-hidden />
      New QR code
    </Link>
  );
  return (
    <Page
      title="QR codes"
      isFixed
      actions={
        <>
          <Button
            icon={LayoutGrid}
            className="max-md:hidden"
            disabled={selected.size === 0}
            title="Select codes to lay them out on a sheet"
            onClick={() => setDialog('sheet')}
          >
            Sheet
          </Button>
          {newLink}
        </>
      }
    >
      <Toolbar search={search} setSearch={setSearch} count={count.data} />
      {first.error && first.data === undefined ? (
        <Failure error={first.error} retry={() => void first.refetch()} />
      ) : first.data?.length === 0 ? (
        isFiltered ? (
          <Empty icon={SearchX} title="No code matches">
            Change the search or the filters.
          </Empty>
        ) : (
          <Empty icon={QrCodeIcon} title="No QR codes yet" action={newLink || undefined}>
            A QR code brings people from paper to a website, a network, a contact or a payment, in
            the look of your brand. Dynamic codes count their scans, and can lead elsewhere after
            printing.
          </Empty>
        )
      ) : (
        <QrCodeList
          search={search}
          count={rows}
          selected={selected}
          onSelect={setSelected}
          onDelete={(record) => setDialog([record])}
        />
      )}
      {selected.size > 0 && (
        <SelectionBar
          selected={[...selected.values()]}
          clear={clear}
          onSheet={() => setDialog('sheet')}
          onDelete={() => setDialog([...selected.values()])}
        />
      )}
      {dialog === 'sheet' && (
        <Suspense>
          <SheetDialog records={[...selected.values()]} onClose={() => setDialog(undefined)} />
        </Suspense>
      )}
      {dialog !== undefined && dialog !== 'sheet' && (
        <DeleteDialog records={dialog} onClose={() => setDialog(undefined)} onDone={clear} />
      )}
    </Page>
  );
}

const withoutEmpty = (search: QrCodesSearch): QrCodesSearch =>
  Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== '' && value !== undefined),
  );

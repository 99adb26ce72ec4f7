import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { LayoutGrid, Plus, QrCode as QrCodeIcon, SearchX } from 'lucide-react';
import { lazy, Suspense, useCallback, useState } from 'react';
import { part } from '../api/reachability.ts';
import { useShortcuts } from '../app/shortcuts.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { BulkBar } from '../short-links/bulk-bar.tsx';
import { ActiveFilters } from '../short-links/filters.tsx';
import { RecordGrid } from '../short-links/list.tsx';
import { hasFilters, type ListSearch } from '../short-links/list-kind.ts';
import { countText, useFirstPage, withoutEmpty } from '../short-links/listing.ts';
import { Toolbar } from '../short-links/toolbar.tsx';
import { Button, buttonLook } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';
import { Empty, Failure } from '../ui/states.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import type { QrCode } from './look.ts';
import { changeCodes } from './pending.ts';
import { countQuery, pageQuery, QR_CODE_LIST } from './queries.ts';
import { CodeCells, nameOf } from './row.tsx';

const SheetDialog = lazy(
  part(async () => ({ default: (await import('./sheet-dialog.tsx')).SheetDialog })),
);

/** The QR codes of a workspace. */
export function QrCodesPage() {
  const { api, slug, may } = useWorkspace();
  const client = useQueryClient();
  const navigate = useNavigate();
  const search: ListSearch = useSearch({ from: '/$workspace/qrcodes' });
  const { first, total } = useFirstPage(pageQuery(api, search, 0), countQuery(api, search));
  const [selected, setSelected] = useState<ReadonlyMap<string, QrCode>>(new Map());
  const [dialog, setDialog] = useState<'sheet' | readonly QrCode[]>();
  const setSearch = useCallback(
    (change: ListSearch, replace = false) =>
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
  const isNone = first.data?.length === 0;
  const open = useCallback(
    ({ id }: QrCode) =>
      void navigate({
        to: '/$workspace/qrcodes/$qrcode',
        params: { workspace: slug, qrcode: id },
      }),
    [navigate, slug],
  );
  const cells = useCallback(
    (record: QrCode) => (
      <CodeCells record={record} onOpen={open} onDelete={(one) => setDialog([one])} />
    ),
    [open],
  );
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
    <Page title="QR codes" isFixed actions={newLink}>
      <Toolbar kind={QR_CODE_LIST} search={search} setSearch={setSearch} />
      <ActiveFilters kind={QR_CODE_LIST} search={search} setSearch={setSearch} />
      {first.error && first.data === undefined ? (
        <Failure error={first.error} retry={() => void first.refetch()} />
      ) : isNone && !hasFilters(QR_CODE_LIST, search) ? (
        <Empty icon={QrCodeIcon} title="No QR codes yet" action={newLink || undefined}>
          A QR code brings people from paper to a website, a network, a contact or a payment, in the
          look of your brand. Dynamic codes count their scans, and can lead elsewhere after
          printing.
        </Empty>
      ) : isNone ? (
        <Empty
          icon={SearchX}
          title="No code matches"
          action={
            <Button
              onClick={() =>
                void navigate({ to: '/$workspace/qrcodes', params: { workspace: slug } })
              }
            >
              Show all QR codes
            </Button>
          }
        >
          The search looks at slugs and addresses. Archived codes are found by the filter for them.
        </Empty>
      ) : (
        <>
          <p role="status" className="px-4 pb-1 text-xs text-muted md:px-6">
            {countText(total, 'code')}
          </p>
          <RecordGrid
            label="QR codes"
            rowPx={ROW_PX}
            total={total}
            pageQuery={(page) => pageQuery(api, search, page)}
            selected={selected}
            setSelected={setSelected}
            onOpen={open}
            nameOf={nameOf}
            cells={cells}
          />
        </>
      )}
      {selected.size > 0 && (
        <BulkBar
          label="QR codes"
          count={selected.size}
          clear={clear}
          onChange={
            mayWrite
              ? (edit) => {
                  changeCodes({ api, client }, [...selected.keys()], edit);
                  clear();
                }
              : undefined
          }
          onDelete={() => setDialog([...selected.values()])}
        >
          <Button icon={LayoutGrid} onClick={() => setDialog('sheet')}>
            Sheet or ZIP
          </Button>
        </BulkBar>
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

/** Height of a row, in pixels. */
const ROW_PX = 76;

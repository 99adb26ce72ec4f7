import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { LayoutGrid, Plus, QrCode as QrCodeIcon } from 'lucide-react';
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { part } from '../api/reachability.ts';
import { useShortcuts } from '../app/shortcuts.ts';
import { useWorkspace } from '../app/workspace.tsx';
import type { BulkEdit } from '../short-links/bulk-bar.tsx';
import type { ListSearch } from '../short-links/list-kind.ts';
import { withoutEmpty } from '../short-links/listing.ts';
import { Records } from '../short-links/records.tsx';
import { useSelection } from '../short-links/selection.ts';
import { Button, buttonLook } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';
import { Empty } from '../ui/states.tsx';
import { DeleteCodesDialog } from './delete-dialog.tsx';
import { payloadOf } from './drawn.ts';
import type { QrCode } from './look.ts';
import { changeCodes, deleteCodes } from './pending.ts';
import { countQuery, pageQuery, QR_CODE_LIST } from './queries.ts';
import { type CodeActions, CodeCells, nameOf } from './row.tsx';

const SheetDialog = lazy(
  part(async () => ({ default: (await import('./sheet-dialog.tsx')).SheetDialog })),
);

/** The QR codes of a workspace. */
export function QrCodesPage() {
  const { api, slug, may } = useWorkspace();
  const client = useQueryClient();
  const navigate = useNavigate();
  const search: ListSearch = useSearch({ from: '/$workspace/qrcodes' });
  const selection = useSelection<QrCode>();
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
  const create = () =>
    void navigate({ to: '/$workspace/qrcodes/new', params: { workspace: slug } });
  useShortcuts(mayWrite ? { c: create } : {});
  const change = (codes: readonly QrCode[], edit: BulkEdit) =>
    changeCodes({ api, client }, codes, edit, () => selection.keep(codes, edit.shown));
  const remove = (codes: readonly QrCode[]) => {
    deleteCodes({ api, client }, codes);
    selection.drop(codes);
  };
  const latest = useRef({ change });
  useEffect(() => {
    latest.current = { change };
  });
  const actions = useMemo<CodeActions>(
    () => ({
      open: ({ id }) =>
        void navigate({
          to: '/$workspace/qrcodes/$qrcode',
          params: { workspace: slug, qrcode: id },
        }),
      change: (record, edit) => latest.current.change([record], edit),
      remove: (record) => setDialog([record]),
    }),
    [navigate, slug],
  );
  const cells = useCallback(
    (record: QrCode) => <CodeCells record={record} actions={actions} />,
    [actions],
  );
  const newLink = mayWrite && (
    <Link
      to="/$workspace/qrcodes/new"
      params={{ workspace: slug }}
      className={buttonLook('primary')}
    >
      <Plus size={15} aria-hidden />
      Create QR code
    </Link>
  );
  return (
    <Page title="QR codes" isFixed actions={newLink}>
      <Records
        kind={QR_CODE_LIST}
        search={search}
        setSearch={setSearch}
        showAll={() => void navigate({ to: '/$workspace/qrcodes', params: { workspace: slug } })}
        pageQuery={(page) => pageQuery(api, search, page)}
        countQuery={countQuery(api, search)}
        selection={selection}
        // Everybody may print them.
        maySelect
        empty={
          <Empty icon={QrCodeIcon} title="No QR codes yet" action={newLink || undefined}>
            Send people from print to a website, Wi-Fi, contact card or payment, in your brand’s
            style. Dynamic codes track scans and can be changed after printing.
          </Empty>
        }
        rowPx={ROW_PX}
        cells={cells}
        nameOf={nameOf}
        copyOf={payloadOf}
        onOpen={actions.open}
        onChange={mayWrite ? change : undefined}
        onDelete={setDialog}
        actions={
          <Button icon={LayoutGrid} onClick={() => setDialog('sheet')}>
            Sheet or ZIP
          </Button>
        }
      />
      {dialog === 'sheet' && (
        <Suspense>
          <SheetDialog
            records={[...selection.records.values()]}
            onClose={() => setDialog(undefined)}
          />
        </Suspense>
      )}
      {dialog !== undefined && dialog !== 'sheet' && (
        <DeleteCodesDialog
          records={dialog}
          onDelete={() => remove(dialog)}
          onClose={() => setDialog(undefined)}
        />
      )}
    </Page>
  );
}

/** Height of a row, in pixels. */
const ROW_PX = 76;

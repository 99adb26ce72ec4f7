import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Download, LayoutGrid, Palette, Plus, QrCode as QrCodeIcon, Table } from 'lucide-react';
import { Suspense, useCallback, useMemo, useState } from 'react';
import { useWorkspace } from '../app/workspace.tsx';
import { BarLabel } from '../short-links/bar-label.tsx';
import type { ListSearch } from '../short-links/list-kind.ts';
import { parametersOf } from '../short-links/listing.ts';
import { type RecordActions, RecordPage, useSetSearch } from '../short-links/record-page.tsx';
import { Button, buttonLook } from '../ui/button.tsx';
import { lazyPart, usePreload } from '../ui/lazy-part.tsx';
import { Empty } from '../ui/states.tsx';
import { duplicateCode } from './duplicate.ts';
import { QR_CODES } from './kind.ts';
import type { QrCode } from './look.ts';
import { type CodeActions, CodeCells } from './row.tsx';

const SheetDialog = lazyPart(() => import('./sheet-dialog.tsx'), 'SheetDialog');
const StyleDialog = lazyPart(() => import('./style-dialog.tsx'), 'StyleDialog');
const CodeDialog = lazyPart(() => import('./code-picture.tsx'), 'CodeDialog');
const PARTS = [SheetDialog, StyleDialog, CodeDialog];

/** The page that lists a workspace's QR codes. */
export function QrCodesPage() {
  const { api, slug, may } = useWorkspace();
  const client = useQueryClient();
  const navigate = useNavigate();
  const search: ListSearch = useSearch({ from: '/$workspace/qrcodes' });
  const setSearch = useSetSearch(QR_CODES);
  const [isSheetShown, showSheet] = useState(false);
  const [isStyleShown, showStyle] = useState(false);
  const [shown, setShown] = useState<QrCode>();
  const design = useCallback(
    (id: string) =>
      void navigate({
        to: '/$workspace/qrcodes/$qrcode/edit',
        params: { workspace: slug, qrcode: id },
      }),
    [navigate, slug],
  );
  const edit = useCallback(({ id }: QrCode) => design(id), [design]);
  const ofCodes = useMemo<CodeActions>(
    () => ({
      showPicture: setShown,
      duplicate: (record) =>
        void duplicateCode({ api, client }, record).then((copy) => copy && design(copy.id)),
    }),
    [api, client, design],
  );
  const cells = useCallback(
    (record: QrCode, actions: RecordActions<QrCode>) => (
      <CodeCells record={record} actions={{ ...actions, ...ofCodes }} />
    ),
    [ofCodes],
  );
  usePreload(PARTS);
  const newLink = (
    <Link
      to="/$workspace/qrcodes/new"
      params={{ workspace: slug }}
      className={buttonLook('primary')}
    >
      <Plus size={15} aria-hidden />
      Create QR code
    </Link>
  );
  const filters = parametersOf(search, QR_CODES.filters) as Record<string, string>;
  const buttons = (
    <>
      <Link
        to="/$workspace/settings/exports"
        params={{ workspace: slug }}
        search={{ codes: new URLSearchParams(filters).toString() }}
        className={buttonLook('quiet')}
        aria-label="Export images"
      >
        <Download size={15} aria-hidden />
        <span className="max-md:sr-only">Export</span>
      </Link>
      <Link
        to="/$workspace/qrcodes/batch"
        params={{ workspace: slug }}
        className={buttonLook()}
        aria-label="Create many from CSV"
      >
        <Table size={15} aria-hidden />
        <span className="max-md:sr-only">From CSV</span>
      </Link>
      {newLink}
    </>
  );
  return (
    <RecordPage
      kind={QR_CODES}
      search={search}
      setSearch={setSearch}
      create={() => void navigate({ to: '/$workspace/qrcodes/new', params: { workspace: slug } })}
      createButton={buttons}
      empty={
        <Empty
          icon={QrCodeIcon}
          title="No QR codes yet"
          action={may('qrcodes.write') ? newLink : undefined}
        >
          Send people from print to a website, Wi-Fi, contact card or payment, in your brand’s
          style. Dynamic codes track scans and can be changed after printing.
        </Empty>
      }
      // People without write access can select codes too, to print them.
      isForReaders
      edit={edit}
      cells={cells}
      actions={
        <>
          <Button icon={LayoutGrid} onClick={() => showSheet(true)}>
            <BarLabel>Sheet or ZIP</BarLabel>
          </Button>
          {may('qrcodes.write') && (
            <Button icon={Palette} onClick={() => showStyle(true)}>
              <BarLabel>Style</BarLabel>
            </Button>
          )}
        </>
      }
    >
      {(selected) => (
        <Suspense>
          {isSheetShown && <SheetDialog records={[...selected]} onClose={() => showSheet(false)} />}
          {isStyleShown && <StyleDialog records={selected} onClose={() => showStyle(false)} />}
          {shown !== undefined && <CodeDialog record={shown} onClose={() => setShown(undefined)} />}
        </Suspense>
      )}
    </RecordPage>
  );
}

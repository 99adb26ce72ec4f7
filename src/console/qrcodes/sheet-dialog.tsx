import { Download } from 'lucide-react';
import { useState } from 'react';
import { FORMATS, type Format } from '../../qrcodes/render/design.ts';
import {
  cellOf,
  LABEL_SHEETS,
  layoutOn,
  PAPERS,
  pagesOf,
  type SheetPaper,
} from '../../qrcodes/render/sheet-layout.ts';
import { describe } from '../api/error.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField } from '../ui/field.tsx';
import { saveFile } from '../ui/save-file.ts';
import { payloadOf } from './drawn.ts';
import { FontSelect } from './font-field.tsx';
import { QR_CODES } from './kind.ts';
import type { QrCode } from './look.ts';
import { NumberField } from './number-field.tsx';
import { nameOf } from './row.tsx';
import { picturesZip, sheetPdf } from './sheet.ts';

/** Choices for the label under a code. */
const LABELS = {
  none: ['Nothing', null],
  name: ['Title or short link', nameOf],
  link: ['Short link', (record: QrCode) => `${record.domain}/${record.key}`],
  content: ['Content of the code', (record: QrCode) => payloadOf(record).slice(0, 80)],
} as const;

/** Smallest width that phones scan well, in mm. */
const SMALL_MM = 20;

/** A dialog that arranges the selected codes on pages, or downloads their images as a ZIP file. */
export function SheetDialog({ records, onClose }: { records: readonly QrCode[]; onClose(): void }) {
  const { slug } = useWorkspace();
  const [kind, setKind] = useState<'pdf' | 'zip'>('pdf');
  const [paper, setPaper] = useState<SheetPaper>('A4');
  const [grid, setGrid] = useState({ columns: 3, rows: 4, marginMm: 12, gapMm: 6 });
  const [label, setLabel] = useState<keyof typeof LABELS>('name');
  const [family, setFamily] = useState('Inter');
  const [format, setFormat] = useState<Format>('svg');
  const [size, setSize] = useState(1024);
  const [done, setDone] = useState<number>();
  const [failure, setFailure] = useState<string>();
  const captionOf = LABELS[label][1];
  const layout = layoutOn(paper, { ...grid, hasCaptions: captionOf !== null });
  const { side } = cellOf(layout);
  const pages = pagesOf(records.length, layout);
  const make = async () => {
    setFailure(undefined);
    setDone(0);
    try {
      const file =
        kind === 'pdf'
          ? await sheetPdf(slug, records, layout, captionOf, family, setDone)
          : await picturesZip(slug, records, { format, size }, setDone);
      saveFile(file, kind === 'pdf' ? 'qr-codes.pdf' : 'qr-codes.zip');
    } catch (error) {
      setFailure(describe(error));
    } finally {
      setDone(undefined);
    }
  };
  const number = (name: keyof typeof grid, title: string, least: number, most: number) => (
    <NumberField
      label={title}
      least={least}
      most={most}
      value={grid[name]}
      onChange={(value) => setGrid({ ...grid, [name]: value })}
    />
  );
  const form = 'sheet-form';
  return (
    <Dialog
      title={`Download ${QR_CODES.inWords(records.length)}`}
      onClose={onClose}
      footer={
        <Button type="submit" form={form} look="primary" icon={Download} busy={done !== undefined}>
          {done === undefined ? 'Download' : `${done} of ${records.length}`}
        </Button>
      }
    >
      <form
        id={form}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void make();
        }}
      >
        <SelectField
          label="Download as"
          value={kind}
          onChange={({ target }) => setKind(target.value as 'pdf' | 'zip')}
          options={[
            ['pdf', 'Printable sheet (PDF)'],
            ['zip', 'One file per code (ZIP)'],
          ]}
        />
        {kind === 'pdf' ? (
          <div className="grid gap-5 sm:grid-cols-[1fr_10rem]">
            <div className="grid grid-cols-2 content-start gap-3">
              <SelectField
                label="Paper"
                value={paper}
                onChange={({ target }) => setPaper(target.value as SheetPaper)}
                options={[...Object.keys(PAPERS), ...Object.keys(LABEL_SHEETS)].map((name) => [
                  name,
                  name,
                ])}
              />
              <SelectField
                label="Under each code"
                value={label}
                onChange={({ target }) => setLabel(target.value as keyof typeof LABELS)}
                options={Object.entries(LABELS).map(([name, [words]]) => [name, words])}
              />
              {captionOf !== null && (
                <FontSelect label="Font under codes" family={family} onChange={setFamily} />
              )}
              {layout.labels === undefined && (
                <>
                  {number('columns', 'Columns', 1, 20)}
                  {number('rows', 'Rows', 1, 30)}
                  {number('marginMm', 'Margin in mm', 0, 60)}
                  {number('gapMm', 'Gap in mm', 0, 60)}
                </>
              )}
              <p className="col-span-2 text-muted" role="status">
                {pages === 1 ? '1 page' : `${pages} pages`}, each code {Math.floor(side)} mm wide.
                {side < SMALL_MM && ' Phones may not read codes this small.'}
              </p>
            </div>
            <SheetPicture layout={layout} count={records.length} />
          </div>
        ) : (
          <div className="grid grid-cols-2 gap-3">
            <SelectField
              label="Format"
              value={format}
              onChange={({ target }) => setFormat(target.value as Format)}
              options={FORMATS.map((name) => [name, name.toUpperCase()])}
            />
            <NumberField label="Width in px" value={size} most={4096} onChange={setSize} />
          </div>
        )}
        {failure && (
          <p role="alert" className="text-danger">
            {failure}
          </p>
        )}
      </form>
    </Dialog>
  );
}

/** A small preview of the first page. */
function SheetPicture({ layout, count }: { layout: Parameters<typeof cellOf>[0]; count: number }) {
  const { columns, rows, paper } = layout;
  const [width, height] = PAPERS[paper];
  const cell = cellOf(layout);
  if (!(cell.side > 0) || columns * rows > 600) return <span />;
  const shown = Math.min(count, columns * rows);
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label="The first page"
      className="h-auto w-full self-start rounded border border-line bg-white max-sm:mx-auto max-sm:max-w-40"
    >
      {Array.from({ length: columns * rows }, (_, index) => (
        <rect
          // oxlint-disable-next-line no-array-index-key -- the places of a page have no other name
          key={index}
          x={cell.left(index % columns) + (cell.width - cell.side) / 2}
          y={cell.top(Math.floor(index / columns))}
          width={cell.side}
          height={cell.side}
          className={index < shown ? 'fill-neutral-800' : 'fill-neutral-200'}
        />
      ))}
    </svg>
  );
}

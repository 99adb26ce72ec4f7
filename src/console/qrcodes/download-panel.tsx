import { Copy, Download } from 'lucide-react';
import { useState } from 'react';
import type { Format } from '../../qrcodes/render/design.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { SelectField, Switch } from '../ui/field.tsx';
import { saveFile } from '../ui/save-file.ts';
import { toast } from '../ui/toasts.tsx';
import { useAction } from '../ui/use-action.ts';
import {
  copyPicture,
  type Extent,
  hasInks,
  MOST_PX,
  makePicture,
  type Print,
  pxOf,
} from './downloads.ts';
import type { QrCode } from './look.ts';
import { NumberField } from './number-field.tsx';

/** Typical use of each format. */
const PURPOSES: Record<Format, string> = {
  png: 'PNG, for screens',
  svg: 'SVG, scales to any size',
  jpeg: 'JPEG',
  webp: 'WebP',
  pdf: 'PDF, for print',
  eps: 'EPS, for print',
};

const COPIED_PX = 4096;

/** Downloads the image of a stored code in any format and size. */
export function DownloadPanel({ record }: { record: QrCode }) {
  const { slug } = useWorkspace();
  const [format, setFormat] = useState<Format>('png');
  const [unit, setUnit] = useState<'px' | 'mm'>('px');
  const [px, setPx] = useState(record.size);
  const [mm, setMm] = useState(40);
  const [dpi, setDpi] = useState(300);
  const [margin, setMargin] = useState(4);
  const [print, setPrint] = useState<Print>({});
  const [isBusy, run] = useAction();
  const extent: Extent = unit === 'px' ? { px } : { mm, dpi };
  const most = MOST_PX[format];
  const isTooLarge = most !== undefined && pxOf(extent) > most;
  return (
    <form
      className="flex flex-col gap-3"
      aria-label="Download"
      onSubmit={(event) => {
        event.preventDefault();
        run(async () => {
          const { file, name } = await makePicture(slug, record, format, { extent, margin, print });
          saveFile(file, name);
        });
      }}
    >
      <div className="grid grid-cols-2 gap-3">
        <div className="col-span-2">
          <SelectField
            label="Format"
            value={format}
            onChange={({ target }) => {
              const next = target.value as Format;
              setFormat(next);
              // Print shops ask for millimeters; both units can still be chosen.
              if (hasInks(next) && !hasInks(format)) setUnit('mm');
            }}
            options={Object.entries(PURPOSES)}
          />
        </div>
        <SelectField
          label="Unit"
          value={unit}
          onChange={({ target }) => setUnit(target.value as 'px' | 'mm')}
          options={[
            ['px', 'Pixels'],
            ['mm', 'Millimeters'],
          ]}
        />
        {unit === 'px' ? (
          <NumberField label="Width in px" value={px} most={most ?? 8192} onChange={setPx} />
        ) : (
          <NumberField label="Width in mm" value={mm} most={1000} onChange={setMm} />
        )}
        {unit === 'mm' && most !== undefined && (
          <SelectField
            label="Resolution"
            hint={`${pxOf(extent).toLocaleString()} px, at most ${most.toLocaleString()}`}
            error={isTooLarge ? 'Choose fewer dpi, a smaller width, or PDF.' : undefined}
            value={dpi}
            onChange={({ target }) => setDpi(Number(target.value))}
            options={[150, 300, 600, 1200].map((value) => [String(value), `${value} dpi`])}
          />
        )}
        <NumberField
          label="White border, in dots"
          value={margin}
          least={4}
          most={100}
          onChange={setMargin}
        />
        {hasInks(format) && <PrintFields print={print} onChange={setPrint} />}
      </div>
      <div className="flex gap-2">
        <Button
          type="submit"
          icon={Download}
          busy={isBusy}
          disabled={isTooLarge}
          className="flex-1"
        >
          Download
        </Button>
        <Button
          icon={Copy}
          onClick={() =>
            run(async () => {
              await copyPicture(slug, record, Math.min(COPIED_PX, pxOf(extent)));
              toast('Image copied');
            })
          }
        >
          Copy image
        </Button>
      </div>
    </form>
  );
}

/** The fields of files for print. */
function PrintFields({ print, onChange }: { print: Print; onChange(print: Print): void }) {
  const { colorSpace, bleed = 0, cropMarks = false } = print;
  return (
    <>
      <SelectField
        label="Colors"
        value={colorSpace ?? ''}
        onChange={({ target }) =>
          onChange({ ...print, colorSpace: target.value === 'cmyk' ? 'cmyk' : undefined })
        }
        none="RGB, black as black ink"
        options={[['cmyk', 'CMYK']]}
      />
      <NumberField
        label="Bleed in mm"
        value={bleed}
        least={0}
        most={20}
        onChange={(value) => onChange({ ...print, bleed: value })}
      />
      <Switch
        label="Crop marks"
        checked={cropMarks}
        onChange={(checked) => onChange({ ...print, cropMarks: checked })}
      />
    </>
  );
}

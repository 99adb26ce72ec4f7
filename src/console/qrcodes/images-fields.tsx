import type { FileNames } from '../../qrcodes/render/file-name.ts';
import type { SheetPaper } from '../../qrcodes/render/sheet-layout.ts';
import { SelectField } from '../ui/field.tsx';
import { MOST_PX } from './downloads.ts';
import {
  CAPTIONS,
  FILE_NAME_LABELS,
  FORMAT_OPTIONS,
  type ImagesChoice,
  PAPER_OPTIONS,
} from './exports.ts';
import { FontSelect } from './font-field.tsx';
import { NumberField } from './number-field.tsx';

/** Maximum width of vector images in px, as of the largest raster images. */
const MOST_VECTOR_PX = 8192;

interface ImagesFieldsProps {
  choice: ImagesChoice;
  onChange(changes: Partial<ImagesChoice>): void;
}

/** The fields of an export of images. */
export function ImagesFields({ choice, onChange }: ImagesFieldsProps) {
  const { format, size, fileNames, paper, caption, captionFont } = choice;
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <SelectField
        label="Images as"
        value={format}
        onChange={({ target }) => onChange({ format: target.value as ImagesChoice['format'] })}
        options={FORMAT_OPTIONS}
      />
      {format === 'sheet' ? (
        <>
          <SelectField
            label="Paper"
            value={paper}
            onChange={({ target }) => onChange({ paper: target.value as SheetPaper })}
            options={PAPER_OPTIONS}
          />
          <SelectField
            label="Under each code"
            value={caption}
            onChange={({ target }) =>
              onChange({ caption: target.value as ImagesChoice['caption'] })
            }
            options={Object.entries(CAPTIONS)}
          />
          <FontSelect
            label="Font under codes"
            family={captionFont}
            onChange={(family) => onChange({ captionFont: family })}
          />
        </>
      ) : (
        <>
          <NumberField
            label="Width in px"
            value={size}
            most={MOST_PX[format] ?? MOST_VECTOR_PX}
            onChange={(px) => onChange({ size: px })}
          />
          <SelectField
            label="File names"
            value={fileNames}
            onChange={({ target }) => onChange({ fileNames: target.value as FileNames })}
            options={Object.entries(FILE_NAME_LABELS)}
          />
        </>
      )}
    </div>
  );
}

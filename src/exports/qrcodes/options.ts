import { Refusal } from '../../errors.ts';
import { type Asked, sizedFor } from '../../qrcodes/picture-output.ts';
import type { Format } from '../../qrcodes/render/design.ts';
import { FILE_NAMES, type FileNames } from '../../qrcodes/render/file-name.ts';
import { cellOf, layoutOn, PAPERS, type SheetPaper } from '../../qrcodes/render/sheet-layout.ts';
import { CAPTION_FONT } from '../../qrcodes/render/sheet-page.ts';

/** Texts under the codes of a sheet. */
export const CAPTIONS = ['title', 'shortLink', 'content', 'none'] as const;

/** Layout of a sheet, as in the body of a request. */
export interface SheetOptions {
  paper?: SheetPaper;
  columns?: number;
  rows?: number;
  marginMm?: number;
  gapMm?: number;
  caption?: (typeof CAPTIONS)[number];
  /** Name of a family, or name or id of a font of the workspace. */
  captionFont?: string | undefined;
}

/** The requested images, as in the body of a request. */
export interface PictureFields extends Omit<Asked, 'format' | 'maxPx'> {
  format?: Format | 'sheet';
  fileNames?: FileNames;
  sheet?: SheetOptions;
}

/** Options of an export of images. */
export interface PictureOptions {
  format: Format | 'sheet';
  fileNames: FileNames;
  /** Size and properties of the images. */
  image: Omit<Asked, 'format'>;
  sheet: Required<SheetOptions>;
  /** True if images may contain passwords of wireless networks. */
  canReadPasswords: boolean;
}

const SHEET_DEFAULTS: Required<SheetOptions> = {
  paper: 'A4',
  columns: 3,
  rows: 4,
  marginMm: 12,
  gapMm: 6,
  caption: 'title',
  captionFont: CAPTION_FONT.family,
};
/** Fields of the grid, which sheets of labels have already. */
const GRID = ['columns', 'rows', 'marginMm', 'gapMm'] as const;
/** Minimum side of a code on a sheet, in mm. */
const MIN_SIDE_MM = 5;
/** Content of a code for which the properties of images are checked. */
const SAMPLE = 'https://example.com/';

/**
 * Completes the options of an export.
 *
 * @throws Refusal `unprocessable_entity` if the fields contradict each other
 */
export function pictureOptions(
  { format = 'png', fileNames, sheet, ...image }: PictureFields,
  canReadPasswords: boolean,
): PictureOptions {
  const others = format === 'sheet' ? { fileNames, ...image } : { sheet };
  const faults = Object.entries(others).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} must not be set where the format is ${format}`],
  );
  if (sheet !== undefined) faults.push(...sheetFaults(sheet));
  if (faults.length > 0) throw new Refusal('unprocessable_entity', faults.join('; '));
  if (format !== 'sheet') sizedFor({}, SAMPLE, { ...image, format });
  return {
    format,
    fileNames: fileNames ?? FILE_NAMES[0],
    image,
    sheet: { ...SHEET_DEFAULTS, ...sheet },
    canReadPasswords,
  };
}

function sheetFaults(sheet: SheetOptions): string[] {
  const options = { ...SHEET_DEFAULTS, ...sheet };
  if (!(options.paper in PAPERS)) {
    return GRID.filter((name) => sheet[name] !== undefined).map(
      (name) => `sheet.${name} must not be set where sheet.paper is ${options.paper}`,
    );
  }
  return cellOf(layoutOf(options)).side >= MIN_SIDE_MM
    ? []
    : [`sheet must leave at least ${MIN_SIDE_MM} mm for each code`];
}

/** Returns the layout of a sheet. */
export const layoutOf = ({ paper, caption, captionFont: _, ...grid }: Required<SheetOptions>) =>
  layoutOn(paper, { ...grid, hasCaptions: caption !== 'none' });

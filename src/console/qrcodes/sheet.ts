import { zipSync } from 'fflate';
import { FILE_ENDINGS, type Format } from '../../qrcodes/render/design.ts';
import type { Drawing } from '../../qrcodes/render/drawing-types.ts';
import { type Page, type Placed, pdfOf } from '../../qrcodes/render/pdf.ts';
import { setLine } from '../../qrcodes/render/text.ts';
import { deflate, fileName, POINTS_PER_MM, pictureOf } from './downloads.ts';
import { drawRecord } from './drawn.ts';
import { loadFonts } from './font-files.ts';
import { pixelsOf } from './image.ts';
import type { QrCode } from './look.ts';

/** Paper sizes in mm. */
export const PAPERS = { A4: [210, 297], A5: [148, 210], Letter: [215.9, 279.4] } as const;
export type Paper = keyof typeof PAPERS;

/** Grid of a sheet of labels; lengths in mm, without the gaps between labels. */
export interface Labels {
  paper: Paper;
  columns: number;
  rows: number;
  width: number;
  height: number;
  /** Distance of the first label from the upper left corner, and of labels from each other. */
  left: number;
  top: number;
  across: number;
  down: number;
}

/** Dimensions of label sheets as their manufacturer states them. */
export const LABEL_SHEETS = {
  'Avery L7160': {
    paper: 'A4',
    columns: 3,
    rows: 7,
    width: 63.5,
    height: 38.1,
    left: 7.2,
    top: 15.15,
    across: 66.04,
    down: 38.1,
  },
  'Avery L7163': {
    paper: 'A4',
    columns: 2,
    rows: 7,
    width: 99.1,
    height: 38.1,
    left: 4.65,
    top: 15.15,
    across: 101.6,
    down: 38.1,
  },
  'Avery 5160': {
    paper: 'Letter',
    columns: 3,
    rows: 10,
    width: 66.675,
    height: 25.4,
    left: 4.7625,
    top: 12.7,
    across: 69.85,
    down: 25.4,
  },
  'Avery 5163': {
    paper: 'Letter',
    columns: 2,
    rows: 5,
    width: 101.6,
    height: 50.8,
    left: 3.96875,
    top: 12.7,
    across: 106.3625,
    down: 50.8,
  },
} as const satisfies Record<string, Labels>;

/** Distance of a code from the edges of its label, for printers that feed inexactly, in mm. */
const LABEL_INSET_MM = 1.5;

/** Layout of codes on pages. */
export interface SheetLayout {
  /** A sheet of labels, whose grid takes the place of the margins and gaps. */
  labels?: Labels | undefined;
  paper: Paper;
  columns: number;
  rows: number;
  /** Page margin, and gap between codes, in mm. */
  marginMm: number;
  gapMm: number;
  /** Returns the label under a code; `null` for no labels. */
  labelOf: ((record: QrCode) => string) | null;
}

const LABEL_FONT = { family: 'Inter', weight: 500 };
/** Cap height of a label, and the height reserved for it, in mm. */
const CAPITALS_MM = 2.2;
const LABEL_MM = 6;

/**
 * Calculates the space for one code in mm: its cell, the height left above the label, the side of
 * the largest square that fits, and the corner of the cell in a column and row.
 */
export function cellOf({ labels, paper, columns, rows, marginMm, gapMm, labelOf }: SheetLayout) {
  const captionMm = labelOf === null ? 0 : LABEL_MM;
  if (labels !== undefined) {
    const width = labels.width - 2 * LABEL_INSET_MM;
    const height = labels.height - 2 * LABEL_INSET_MM;
    const room = height - captionMm;
    const left = (column: number) => labels.left + LABEL_INSET_MM + column * labels.across;
    const top = (row: number) => labels.top + LABEL_INSET_MM + row * labels.down;
    return { width, height, room, side: Math.max(0, Math.min(width, room)), left, top };
  }
  const [paperWidth, paperHeight] = PAPERS[paper];
  const width = (paperWidth - 2 * marginMm - (columns - 1) * gapMm) / columns;
  const height = (paperHeight - 2 * marginMm - (rows - 1) * gapMm) / rows;
  const room = height - captionMm;
  const left = (column: number) => marginMm + column * (width + gapMm);
  const top = (row: number) => marginMm + row * (height + gapMm);
  return { width, height, room, side: Math.max(0, Math.min(width, room)), left, top };
}

/** Returns the number of pages that the codes need. */
export const pagesOf = (count: number, { columns, rows }: SheetLayout): number =>
  Math.ceil(count / (columns * rows));

/**
 * Arranges codes on the pages of a PDF as vector graphics in the exact size of the layout.
 *
 * @param onProgress called with the number of codes drawn so far
 */
export async function sheetPdf(
  records: readonly QrCode[],
  layout: SheetLayout,
  onProgress: (done: number) => void,
): Promise<Blob> {
  const { paper, columns, rows, labelOf } = layout;
  const [paperWidth, paperHeight] = PAPERS[paper].map((mm) => mm * POINTS_PER_MM) as [
    number,
    number,
  ];
  const cell = cellOf(layout);
  if (labelOf !== null) await loadFonts(LABEL_FONT);
  const pages: (Page & { drawings: Placed[] })[] = [];
  for (const [index, record] of records.entries()) {
    const at = index % (columns * rows);
    if (at === 0) pages.push({ width: paperWidth, height: paperHeight, drawings: [] });
    const left = cell.left(at % columns) * POINTS_PER_MM;
    const top = cell.top(Math.floor(at / columns)) * POINTS_PER_MM;
    const width = cell.width * POINTS_PER_MM;
    const { drawing, image } = await drawRecord(record);
    const scale = Math.min(width / drawing.width, (cell.room * POINTS_PER_MM) / drawing.height);
    const { drawings } = pages.at(-1)!;
    drawings.push({
      drawing,
      pixels: image && (await pixelsOf(image)),
      x: left + (width - drawing.width * scale) / 2,
      y: top,
      scale,
    });
    if (labelOf !== null) {
      const y = top + drawing.height * scale;
      drawings.push({ drawing: labelDrawing(labelOf(record), width), x: left, y, scale: 1 });
    }
    onProgress(index + 1);
  }
  const bytes = await pdfOf(pages, deflate);
  return new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'application/pdf' });
}

/** Draws a centered label within a width in points, with smaller text if it would not fit. */
function labelDrawing(text: string, width: number): Drawing {
  const height = LABEL_MM * POINTS_PER_MM;
  const line = setLine(text, LABEL_FONT);
  const size = Math.min(
    (CAPITALS_MM * POINTS_PER_MM) / line.capHeight,
    width / Math.max(line.width, 0.1),
  );
  const path = line.path((width - line.width * size) / 2, height * 0.65, size);
  const box = { x: 0, y: 0, width, height };
  return {
    width,
    height,
    ground: null,
    shapes: [{ path, fill: '#000000' }],
    image: null,
    code: box,
    modulePx: 0,
  };
}

/** Packs the images of codes, as the service renders them, into a ZIP file. */
export async function picturesZip(
  workspace: string,
  records: readonly QrCode[],
  { format, size }: { format: Format; size: number },
  onProgress: (done: number) => void,
): Promise<Blob> {
  const files: Record<string, Uint8Array> = {};
  for (const [index, record] of records.entries()) {
    const picture = await pictureOf(workspace, record, format, { size });
    const ending = FILE_ENDINGS[format];
    const name = fileName(record, ending);
    files[name in files ? `${record.id}.${ending}` : name] = new Uint8Array(
      await picture.arrayBuffer(),
    );
    onProgress(index + 1);
  }
  // The files are stored uncompressed, because compression in workers needs scripts from `blob:`,
  // which the Content-Security-Policy forbids.
  const bytes = zipSync(files, { level: 0 });
  return new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'application/zip' });
}

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

/** Sizes of paper, in mm. */
export const PAPERS = { A4: [210, 297], A5: [148, 210], Letter: [215.9, 279.4] } as const;
export type Paper = keyof typeof PAPERS;

/** How codes are laid out on pages. */
export interface SheetLayout {
  paper: Paper;
  columns: number;
  rows: number;
  /** Space at the edges of a page, and between codes, in mm. */
  marginMm: number;
  gapMm: number;
  /** Words under each code; `null` for none. */
  labelOf: ((record: QrCode) => string) | null;
}

const LABEL_FONT = { family: 'Inter', weight: 500 };
/** Height of a label's capitals, and of the room that it takes, in mm. */
const CAPITALS_MM = 2.2;
const LABEL_MM = 6;

/** The room of one code, in mm: its cell, and the side of the largest square that fits. */
export function cellOf({ paper, columns, rows, marginMm, gapMm, labelOf }: SheetLayout) {
  const [paperWidth, paperHeight] = PAPERS[paper];
  const width = (paperWidth - 2 * marginMm - (columns - 1) * gapMm) / columns;
  const height = (paperHeight - 2 * marginMm - (rows - 1) * gapMm) / rows;
  const room = height - (labelOf === null ? 0 : LABEL_MM);
  return { width, height, room, side: Math.max(0, Math.min(width, room)) };
}

/** Number of pages that codes take. */
export const pagesOf = (count: number, { columns, rows }: SheetLayout): number =>
  Math.ceil(count / (columns * rows));

/**
 * Codes laid out on pages, as a PDF: vectors, in exactly the size of the layout.
 *
 * @param onProgress called with the number of codes that are drawn
 */
export async function sheetPdf(
  records: readonly QrCode[],
  layout: SheetLayout,
  onProgress: (done: number) => void,
): Promise<Blob> {
  const { paper, columns, rows, marginMm, gapMm, labelOf } = layout;
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
    const left = (marginMm + (at % columns) * (cell.width + gapMm)) * POINTS_PER_MM;
    const top = (marginMm + Math.floor(at / columns) * (cell.height + gapMm)) * POINTS_PER_MM;
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

/** Words in the middle of a width in points; smaller where they would not fit. */
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

/** Pictures of codes in one ZIP file, as the service draws them. */
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
  // Compressed by worker threads they could be smaller, but the policy forbids scripts from `blob:`.
  const bytes = zipSync(files, { level: 0 });
  return new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'application/zip' });
}

import { zipSync } from 'fflate';
import { FILE_ENDINGS, type Format } from '../../qrcodes/render/design.ts';
import { fileNamer } from '../../qrcodes/render/file-name.ts';
import { pdfOf, picturesIn } from '../../qrcodes/render/pdf.ts';
import { perPage, type SheetLayout } from '../../qrcodes/render/sheet-layout.ts';
import { CAPTION_FONT, emptyPage, placeOnSheet } from '../../qrcodes/render/sheet-page.ts';
import { deflate, pictureOf } from './downloads.ts';
import { drawRecord } from './drawn.ts';
import { loadFonts } from './font-files.ts';
import { pixelsOf } from './image.ts';
import type { QrCode } from './look.ts';

/**
 * Arranges codes on the pages of a PDF.
 *
 * @param captionOf returns the text under a code; `null` for none
 * @param onProgress called with the number of codes drawn so far
 */
export async function sheetPdf(
  records: readonly QrCode[],
  layout: SheetLayout,
  captionOf: ((record: QrCode) => string) | null,
  onProgress: (done: number) => void,
): Promise<Blob> {
  const pages: ReturnType<typeof emptyPage>[] = [];
  for (const [index, record] of records.entries()) {
    if (index % perPage(layout) === 0) pages.push(emptyPage(layout));
    const { drawing, image } = await drawRecord(record);
    const pixels = image && (await pixelsOf(image));
    const caption = captionOf === null ? '' : captionOf(record);
    if (captionOf !== null) await loadFonts(caption, CAPTION_FONT);
    pages
      .at(-1)!
      .drawings.push(
        ...placeOnSheet(layout, index, { drawing, pixels, pictures: picturesIn(drawing), caption }),
      );
    onProgress(index + 1);
  }
  const bytes = await pdfOf(pages, deflate);
  return new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'application/pdf' });
}

/** Packs the images of codes, as the service renders them, into a ZIP file. */
export async function picturesZip(
  workspace: string,
  records: readonly QrCode[],
  { format, size }: { format: Format; size: number },
  onProgress: (done: number) => void,
): Promise<Blob> {
  const files: Record<string, Uint8Array> = {};
  const nameOf = fileNamer('title');
  for (const [index, record] of records.entries()) {
    const picture = await pictureOf(workspace, record, format, { size });
    files[`${nameOf(record)}.${FILE_ENDINGS[format]}`] = new Uint8Array(
      await picture.arrayBuffer(),
    );
    onProgress(index + 1);
  }
  // The files are stored uncompressed, because compression in workers needs scripts from `blob:`,
  // which the Content-Security-Policy forbids.
  const bytes = zipSync(files, { level: 0 });
  return new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'application/zip' });
}

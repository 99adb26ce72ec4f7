import { zipSync } from 'fflate';
import { FILE_ENDINGS, type Format } from '../../qrcodes/render/design.ts';
import { fileNamer } from '../../qrcodes/render/file-name.ts';
import { pdfOf, picturesIn } from '../../qrcodes/render/pdf.ts';
import { perPage, type SheetLayout } from '../../qrcodes/render/sheet-layout.ts';
import { emptyPage, fontOfCaption, placeOnSheet } from '../../qrcodes/render/sheet-page.ts';
import type { TextStyles } from '../../qrcodes/render/text.ts';
import { deflate, pictureOf } from './downloads.ts';
import { drawRecord } from './drawn.ts';
import { loadFonts } from './font-files.ts';
import { captionFont } from './fonts.ts';
import { pixelsOf } from './image.ts';
import type { QrCode } from './look.ts';

/**
 * Arranges codes on the pages of a PDF.
 *
 * @param workspace slug of the workspace of the codes
 * @param captionOf returns the text under a code; `null` for none
 * @param family name of a family, or id of a font of the workspace, for these texts
 * @param onProgress called with the number of codes drawn so far
 */
export async function sheetPdf(
  workspace: string,
  records: readonly QrCode[],
  layout: SheetLayout,
  captionOf: ((record: QrCode) => string) | null,
  family: string,
  onProgress: (done: number) => void,
): Promise<Blob> {
  const own = await captionFont(workspace, family);
  const pages: ReturnType<typeof emptyPage>[] = [];
  for (const [index, record] of records.entries()) {
    if (index % perPage(layout) === 0) pages.push(emptyPage(layout));
    const { drawing, image } = await drawRecord(record, workspace);
    const pixels = image && (await pixelsOf(image));
    const caption = captionOf === null ? '' : captionOf(record);
    const font = await fontFor(caption, own);
    const pictures = picturesIn(drawing);
    pages
      .at(-1)!
      .drawings.push(...placeOnSheet(layout, index, { drawing, pixels, pictures, caption, font }));
    onProgress(index + 1);
  }
  const bytes = await pdfOf(pages, deflate);
  return new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'application/pdf' });
}

/** Loads the font of a caption. */
async function fontFor(caption: string, own: TextStyles): Promise<TextStyles> {
  await loadFonts(caption, own);
  const font = fontOfCaption(caption, own);
  if (font !== own) await loadFonts(caption, font);
  return font;
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

import { FILE_ENDINGS, type Format } from '../../qrcodes/render/design.ts';
import { savedName } from '../../qrcodes/render/file-name.ts';
import { pxOf as toPx } from '../../qrcodes/render/output.ts';
import { download } from '../api/client.ts';
import type { QrCode } from './look.ts';

/** Width of an image in px, or in print. */
export type Extent = { px: number } | { mm: number; dpi: number };

/** Maximum width of images with px by format. */
export const MOST_PX: Partial<Record<Format, number>> = { png: 8192, jpeg: 8192, webp: 4096 };

/** Converts a width to px. */
export const pxOf = (extent: Extent): number =>
  'px' in extent ? extent.px : toPx(extent.mm, extent.dpi);

/** Returns the file name of a code's image: its title, or its key. */
export const fileName = ({ title, key, id }: QrCode, ending: string): string =>
  `${savedName(title ?? '') || savedName(key) || id}.${ending}`;

/** Properties of an image file, as the parameters of its endpoint. */
interface PictureOptions {
  size?: number | undefined;
  sizeMm?: number | undefined;
  dpi?: number | undefined;
  margin?: number | undefined;
  colorSpace?: 'cmyk' | undefined;
  bleed?: number | undefined;
  cropMarks?: boolean | undefined;
}

/** Downloads the image of a code as the service renders it. */
export const pictureOf = (
  workspace: string,
  { id }: QrCode,
  format: Format,
  options: PictureOptions = {},
): Promise<Blob> => {
  const query = new URLSearchParams({ format });
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return download(workspace, `/qrcodes/${id}/image?${query}`);
};

/** Compresses bytes in the zlib format, which PDF files use. */
export async function deflate(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new CompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Choices for files for print. */
export type Print = Pick<PictureOptions, 'colorSpace' | 'bleed' | 'cropMarks'>;

/** Creates the image file of a code; files for print have exactly the requested width. */
export async function makePicture(
  workspace: string,
  record: QrCode,
  format: Format,
  { extent, margin, print }: { extent: Extent; margin: number; print: Print },
): Promise<{ file: Blob; name: string }> {
  const width = 'px' in extent ? { size: extent.px } : { sizeMm: extent.mm, dpi: extent.dpi };
  const options = { ...width, margin, ...(hasInks(format) && print) };
  return {
    file: await pictureOf(workspace, record, format, options),
    name: fileName(record, FILE_ENDINGS[format]),
  };
}

/** True for formats that can have inks, a bleed and crop marks. */
export const hasInks = (format: Format): boolean => format === 'pdf' || format === 'eps';

/**
 * Copies the image of a code to the clipboard, which browsers allow only on https and localhost.
 */
export async function copyPicture(workspace: string, record: QrCode, size: number): Promise<void> {
  if (navigator.clipboard === undefined || typeof ClipboardItem === 'undefined') {
    throw new Error('Browsers copy pictures on pages with https only. Download it instead.');
  }
  // Safari needs the promise, because the click's permission expires before the image has loaded.
  const png = pictureOf(workspace, record, 'png', { size });
  await navigator.clipboard.write([new ClipboardItem({ 'image/png': png })]);
}

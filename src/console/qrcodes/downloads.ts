import { FILE_ENDINGS, type Format } from '../../qrcodes/render/design.ts';
import { pdfOf } from '../../qrcodes/render/pdf.ts';
import { download } from '../api/client.ts';
import { drawRecord } from './drawn.ts';
import { pixelsOf } from './image.ts';
import type { QrCode } from './look.ts';

const POINTS_PER_INCH = 72;
export const MM_PER_INCH = 25.4;
export const POINTS_PER_MM = POINTS_PER_INCH / MM_PER_INCH;

/** Width of an image in px, or in print. */
export type Extent = { px: number } | { mm: number; dpi: number };

/** Converts a width to px. */
export const pxOf = (extent: Extent): number =>
  'px' in extent ? extent.px : Math.round((extent.mm / MM_PER_INCH) * extent.dpi);

/** Returns the file name of a code's image. */
export const fileName = ({ key, id }: QrCode, ending: string): string =>
  `${key.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[.-]+/, '') || id}.${ending}`;

/** Downloads the image of a code as the service renders it. */
export const pictureOf = (
  workspace: string,
  { id }: QrCode,
  format: Format,
  options: { size?: number; margin?: number } = {},
): Promise<Blob> => {
  const query = new URLSearchParams({ format });
  for (const [name, value] of Object.entries(options)) query.set(name, String(value));
  return download(workspace, `/qrcodes/${id}/image?${query}`);
};

/** Compresses bytes in the zlib format, which PDF files use. */
export async function deflate(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new CompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/**
 * Creates the image file of a code; PDF and SVG files for print have exactly the requested width.
 */
export async function makePicture(
  workspace: string,
  record: QrCode,
  format: Format,
  { extent, margin }: { extent: Extent; margin: number },
): Promise<{ file: Blob; name: string }> {
  const name = fileName(record, FILE_ENDINGS[format]);
  if ('mm' in extent && format === 'pdf') return { file: await exactPdf(record, extent.mm), name };
  if ('mm' in extent && format === 'svg') {
    const svg = await (await pictureOf(workspace, record, 'svg', { margin })).text();
    return { file: new Blob([inMillimeters(svg, extent.mm)], { type: 'image/svg+xml' }), name };
  }
  // EPS sizes are in points.
  const size =
    'mm' in extent && format === 'eps' ? Math.round(extent.mm * POINTS_PER_MM) : pxOf(extent);
  return { file: await pictureOf(workspace, record, format, { size, margin }), name };
}

function inMillimeters(svg: string, mm: number): string {
  return svg.replace(/ width="(\d+)" height="(\d+)"/, (_, width: string, height: string) => {
    const high = Math.round((mm * 1000 * Number(height)) / Number(width)) / 1000;
    return ` width="${mm}mm" height="${high}mm"`;
  });
}

async function exactPdf(record: QrCode, mm: number): Promise<Blob> {
  const { drawing, image } = await drawRecord(record);
  const scale = (mm * POINTS_PER_MM) / drawing.width;
  const page = {
    width: drawing.width * scale,
    height: drawing.height * scale,
    drawings: [{ drawing, pixels: image && (await pixelsOf(image)), x: 0, y: 0, scale }],
  };
  const bytes = await pdfOf([page], deflate);
  return new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'application/pdf' });
}

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

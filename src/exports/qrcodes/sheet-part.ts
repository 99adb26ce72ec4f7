import { type Db, db, rows } from '../../infra/db.ts';
import type { DrawnRow } from '../../qrcodes/queries.ts';
import { paperOf } from '../../qrcodes/render/background.ts';
import { draw } from '../../qrcodes/render/drawing.ts';
import { type Pixels, pdfHeader, picturesIn } from '../../qrcodes/render/pdf.ts';
import { pixelsOf } from '../../qrcodes/render/print.ts';
import { pagesOf, perPage } from '../../qrcodes/render/sheet-layout.ts';
import { emptyPage, fontOfCaption, placeOnSheet } from '../../qrcodes/render/sheet-page.ts';
import { squarePixels } from '../../qrcodes/render/square-pixels.ts';
import { captionFont } from './caption-font.ts';
import type { PictureExport } from './model.ts';
import { layoutOf, type SheetOptions } from './options.ts';
import { directoriesOf, nextItems, type Part, yieldToOthers } from './part.ts';
import type { PictureSource } from './picture-source.ts';
import { pagesEnd, pagesPart } from './sheet-objects.ts';

/** Codes of a part, if they fill whole pages. */
const CODES = 100;
/**
 * Maximum side of a picture behind a code in px: 200 dpi for 40 mm. Those of a part are in memory at
 * once.
 */
const BACKGROUND_SIDE = 320;
/** Maximum length of the content under a code. */
const MAX_CAPTION = 80;
/** Maximum length of the paths of a part, which are in memory at once. */
const MAX_PATHS = 64 * 1024 * 1024;

/** Thrown when the file of an export would become too large. Its message is for people. */
export class TooLarge extends Error {}

/**
 * Arranges the next codes on pages. A code that cannot be drawn leaves its place empty.
 *
 * @throws TooLarge
 */
export async function drawSheet(row: PictureExport, source: PictureSource): Promise<Part> {
  const { sheet } = row.options!;
  const layout = layoutOf(sheet);
  const pageCodes = perPage(layout);
  const font = await captionFont(db(), row.project_id, sheet, true);
  const items = await nextItems(row, Math.max(1, Math.floor(CODES / pageCodes)) * pageCodes);
  await source.load(items);
  const pages: ReturnType<typeof emptyPage>[] = [];
  const pixels = new Map<object, Promise<Pixels>>();
  let paths = 0;
  for (const item of items) {
    if (item.position % pageCodes === 0) pages.push(emptyPage(layout));
    const placed = await source.attempt(item, 'pdf', async (picture, images, code) => {
      const { image, background } = images;
      const { payload, design } = picture;
      const vector = image?.vector;
      if (image !== undefined && vector === undefined && !pixels.has(image)) {
        pixels.set(image, pixelsOf(image));
      }
      const square =
        background && (await squarePixels(background, paperOf(design), BACKGROUND_SIDE));
      const drawing = draw(payload, design, undefined, square);
      const caption = captionOf(code, sheet.caption);
      return placeOnSheet(layout, item.position, {
        drawing,
        pictures: picturesIn(drawing),
        pixels: image && (await pixels.get(image)),
        vector,
        caption,
        font: fontOfCaption(caption, font),
      });
    });
    pages.at(-1)!.drawings.push(...(placed ?? []));
    for (const { drawing } of placed ?? []) {
      for (const { path } of drawing.shapes) paths += path.length;
    }
    if (paths > MAX_PATHS) {
      throw new TooLarge(
        'The sheets would be too large: put fewer codes on a page, or use plainer patterns',
      );
    }
    await yieldToOthers();
  }
  const header = row.bytes === 0 ? [pdfHeader()] : [];
  const bytes = row.bytes + (header[0]?.length ?? 0);
  const part = await pagesPart(pages, { bytes, rows: await rowBytes(row) });
  return { items, bytes: [...header, ...part.bytes], directory: [Buffer.from(part.rows)] };
}

function captionOf(
  { title, domain, key, payload, isStatic }: DrawnRow,
  caption: Required<SheetOptions>['caption'],
): string {
  const shortLink = `${domain}/${key}`;
  const isUntitled = caption === 'title' && title === null;
  // The image of a static code does not contain its short link.
  if (caption === 'content' || (isUntitled && isStatic)) return payload.slice(0, MAX_CAPTION);
  return caption === 'title' ? (title ?? shortLink) : shortLink;
}

/** Size of the rows of the cross-reference table so far, in bytes. */
async function rowBytes({ id }: PictureExport): Promise<number> {
  const [row] = await rows<{ bytes: number }>(
    db(),
    `SELECT coalesce(sum(octet_length(directory)), 0)::integer AS bytes FROM export_parts
      WHERE export_id = ?`,
    [id],
  );
  return row!.bytes;
}

/** Returns the end of the PDF file. */
export async function sheetEnd(
  trx: Db,
  { id, total, bytes, options }: PictureExport,
): Promise<Pick<Part, 'bytes' | 'directory'>> {
  const table = (await directoriesOf(trx, id)).map((part) => part.toString('latin1'));
  const pages = pagesOf(total, layoutOf(options!.sheet));
  return { bytes: pagesEnd(table, pages, bytes), directory: [] };
}

import { BOM, csvLines } from '../../infra/csv.ts';
import { type Db, rows } from '../../infra/db.ts';
import { FILE_ENDINGS, type Format } from '../../qrcodes/render/design.ts';
import type { PictureExport } from './model.ts';
import { directoriesOf, type Item, nextItems, type Part, yieldToOthers } from './part.ts';
import type { PictureSource } from './picture-source.ts';
import { type ZipEntry, zipEnd, zipEntry } from './zip.ts';

/** Limits of a part: codes, bytes and ms. Others wait for the end of a part at most. */
const LIMITS = { codes: 100, bytes: 8 << 20, ms: 500 };

/** Draws the next images of a ZIP file. */
export async function drawZip(row: PictureExport, source: PictureSource): Promise<Part> {
  const format = row.options!.format as Format;
  const items = await nextItems(row, LIMITS.codes);
  await source.load(items);
  const part: Part = { items: [], bytes: [], directory: [] };
  let at = row.bytes;
  const began = performance.now();
  for (const item of items) {
    const image = await source.draw(item, format);
    part.items.push(item);
    if (image !== undefined) {
      const name = `${item.name}.${FILE_ENDINGS[format]}`;
      at += add(part, zipEntry(name, image, { at, format, time: row.created_at }));
    }
    if (at - row.bytes > LIMITS.bytes || performance.now() - began > LIMITS.ms) break;
    await yieldToOthers();
  }
  return part;
}

function add(part: Pick<Part, 'bytes' | 'directory'>, { entry, directory }: ZipEntry): number {
  part.bytes.push(entry);
  part.directory.push(directory);
  return entry.length;
}

/** Returns the end of a ZIP file: the list of errors, if there are any, and the directory. */
export async function zipFileEnd(
  trx: Db,
  row: PictureExport,
): Promise<Pick<Part, 'bytes' | 'directory'>> {
  const { id, bytes, created_at: time } = row;
  const failed = await rows<Item>(
    trx,
    `SELECT position, record_id, name, error FROM export_items
      WHERE export_id = ? AND error IS NOT NULL ORDER BY position`,
    [id],
  );
  const directories: Uint8Array[] = await directoriesOf(trx, id);
  const end: Uint8Array[] = [];
  let at = bytes;
  let count = row.done - row.failed;
  if (failed.length > 0) {
    const lines = failed.map((item) => [item.name, item.record_id, item.error!]);
    const text = BOM + csvLines([['name', 'qrcodeId', 'error'], ...lines]);
    const file = zipEntry('errors.csv', Buffer.from(text), { at, format: 'csv', time });
    end.push(file.entry);
    directories.push(file.directory);
    at += file.entry.length;
    count += 1;
  }
  const directory = Buffer.concat(directories);
  end.push(directory, zipEnd({ size: directory.length, at, rows: count }));
  return { bytes: end, directory: [] };
}

import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { Db } from '../infra/db.ts';
import type { FileRow, Import } from './model.ts';
import { openOfImport, sealOfImport } from './sealing.ts';

/**
 * Maximum number of rows in a slice, and of their characters; the slice ends at whichever is
 * reached first.
 */
const SLICE_ROWS = 500;
/** Maximum number of rows in a slice of a workspace export, which consists mostly of events. */
export const ARCHIVE_ROWS = 2_000;
const SLICE_LENGTH = 512 * 1024;

/** Compresses and seals rows for storage, in this order because sealed texts do not compress. */
async function sealRows(projectId: string, slice: readonly FileRow[]): Promise<string> {
  const bytes = await promisify(deflateRaw)(JSON.stringify(slice));
  return sealOfImport(projectId, bytes.toString('base64'));
}

/**
 * Opens the rows of a stored slice. Version 0.5 and earlier stored them uncompressed: a JSON array,
 * whose first character does not occur in base64.
 */
export async function openRows(projectId: string, sealed: string): Promise<FileRow[]> {
  const text = openOfImport(projectId, sealed);
  const json = text.startsWith('[')
    ? text
    : (await promisify(inflateRaw)(Buffer.from(text, 'base64'))).toString();
  return JSON.parse(json) as FileRow[];
}

/**
 * Stores rows in slices, which separate jobs import.
 *
 * @param first position of the first slice
 * @param mostRows maximum number of rows per slice
 * @returns the number of rows, and the position of the next slice
 */
export async function storeSlices(
  trx: Db,
  { project_id, id }: Pick<Import, 'project_id' | 'id'>,
  rows: Iterable<FileRow> | AsyncIterable<FileRow>,
  first = 0,
  mostRows = SLICE_ROWS,
): Promise<{ count: number; position: number }> {
  let slice: FileRow[] = [];
  let length = 0;
  let position = first;
  let count = 0;
  const storeSlice = async () => {
    if (slice.length === 0) return;
    const sealed = await sealRows(project_id, slice);
    [slice, length] = [[], 0];
    await trx('import_slices').insert({ project_id, import_id: id, position, rows: sealed });
    position += 1;
  };
  for await (const row of rows) {
    slice.push(row);
    count += 1;
    for (const cell of row) length += String(cell).length;
    if (slice.length >= mostRows || length >= SLICE_LENGTH) await storeSlice();
  }
  await storeSlice();
  return { count, position };
}

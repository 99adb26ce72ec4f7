import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { Db } from '../infra/db.ts';
import type { FileRow, Import } from './model.ts';
import { openOfImport, sealOfImport } from './sealing.ts';

/** Most rows of a slice, and their characters: whichever is reached first. */
const SLICE_ROWS = 500;
/** Of the export of a workspace, which is mostly events. */
export const ARCHIVE_ROWS = 2_000;
const SLICE_LENGTH = 512 * 1024;

/** Rows as they are stored: compressed, since sealed texts can't be, and sealed. */
async function sealRows(projectId: string, slice: readonly FileRow[]): Promise<string> {
  const bytes = await promisify(deflateRaw)(JSON.stringify(slice));
  return sealOfImport(projectId, bytes.toString('base64'));
}

/** The rows of a stored slice. Those of 0.5 and earlier are not compressed: JSON of an array, which no base64 begins like. */
export async function openRows(projectId: string, sealed: string): Promise<FileRow[]> {
  const text = openOfImport(projectId, sealed);
  const json = text.startsWith('[')
    ? text
    : (await promisify(inflateRaw)(Buffer.from(text, 'base64'))).toString();
  return JSON.parse(json) as FileRow[];
}

/**
 * Stores rows by slices, which jobs of their own import.
 *
 * @param first place of the first slice
 * @param mostRows rows of a slice
 * @returns number of rows, and the place of the next slice
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

import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Db, db, execute, rows } from '../../infra/db.ts';
import type { PictureExport } from './model.ts';

/** A code of an export; `error` is the reason why it is not in the file. */
export interface Item {
  position: number;
  record_id: string;
  name: string;
  error: string | null;
}

/** A part of a file, for the codes that follow the previous part. */
export interface Part {
  items: Item[];
  bytes: Uint8Array[];
  /** Rows of the directory at the end of the file. */
  directory: Uint8Array[];
}

/** Reads the next codes of an export. */
export const nextItems = async ({ id, done }: PictureExport, limit: number): Promise<Item[]> =>
  (await db()('export_items')
    .where({ export_id: id })
    .where('position', '>=', done)
    .orderBy('position')
    .limit(limit)
    .select('position', 'record_id', 'name', 'error')) as Item[];

/** Reads the rows of the directory that each part has, in order. */
export async function directoriesOf(trx: Db, exportId: string): Promise<Buffer[]> {
  const parts = await rows<{ directory: Buffer }>(
    trx,
    'SELECT directory FROM export_parts WHERE export_id = ? ORDER BY position',
    [exportId],
  );
  return parts.map(({ directory }) => directory);
}

/** Deletes the parts of a file. */
export async function dropParts(trx: Db, exportId: string): Promise<void> {
  await execute(trx, 'DELETE FROM export_parts WHERE export_id = ?', [exportId]);
}

/** Lets other jobs of the process run, since people wait for single images. */
export const yieldToOthers = (): Promise<void> => nextTurn();

import { setImmediate as nextTurn } from 'node:timers/promises';
import { db } from '../../infra/db.ts';
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

/** Lets other jobs of the process run, since people wait for single images. */
export const yieldToOthers = (): Promise<void> => nextTurn();

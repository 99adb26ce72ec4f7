import { existsSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { manifestFile } from './files.ts';

/*
 * Generations are the backups in one folder, each named by the UTC time at which it began, such as
 * `2026-03-02T030000`. Other names in that folder belong to somebody else and are left alone.
 */

const GENERATION = /^\d{4}-\d\d-\d\dT\d{6}$/;
const PARTIAL = /^\d{4}-\d\d-\d\dT\d{6}\.partial$/;
/** Age at which an incomplete backup counts as abandoned, in ms. */
const ABANDONED_MS = 86_400_000;

/** Returns the path of a new generation. */
export function newGeneration(folder: string, now = new Date()): string {
  return path.join(folder, now.toISOString().slice(0, 19).replaceAll(':', ''));
}

/**
 * Deletes the oldest generations, and incomplete ones that a killed command has left.
 *
 * @param keep number of complete generations to keep, at least 1
 * @returns number of complete generations that were deleted
 */
export async function deleteOldGenerations(folder: string, keep: number): Promise<number> {
  const names = await readdir(folder);
  const complete = names
    .filter((name) => GENERATION.test(name) && existsSync(manifestFile(path.join(folder, name))))
    .toSorted();
  const old = complete.slice(0, -keep);
  for (const name of old) await rm(path.join(folder, name), { recursive: true });
  for (const name of names.filter((one) => PARTIAL.test(one))) {
    const { mtimeMs } = await stat(path.join(folder, name));
    if (Date.now() - mtimeMs > ABANDONED_MS) await rm(path.join(folder, name), { recursive: true });
  }
  return old.length;
}

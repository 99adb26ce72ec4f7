import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { manifestFile } from './files.ts';

/*
 * Generations are the backups in one place, each named by the UTC time at which it began, such as
 * `2026-03-02T030000`. Other names in that place belong to somebody else and are left alone.
 */

const GENERATION = /^(\d{4}-\d\d-\d\d)T(\d\d)(\d\d)(\d\d)(?:\.partial)?$/;
/** Age at which an incomplete backup counts as abandoned, in ms. */
const ABANDONED_MS = 86_400_000;

/** A folder of a place, which may be a generation. */
export interface Candidate {
  name: string;
  /** True for a backup that was written to its end. */
  isComplete: boolean;
}

/** A place with generations. */
export interface Shelf {
  /** Lists the folders in it, in any order. */
  list(): Promise<Candidate[]>;
  delete(name: string): Promise<void>;
}

/** Returns the generations in a folder. Until it is complete, the name of one ends in `.partial`. */
export function folderShelf(folder: string): Shelf {
  const hasManifest = (name: string) => existsSync(manifestFile(path.join(folder, name)));
  const isPartial = (name: string) => name.endsWith('.partial');
  return {
    // A folder without a manifest and another name was not made by a backup.
    list: async () =>
      (await readdir(folder))
        .filter((name) => isPartial(name) || hasManifest(name))
        .map((name) => ({ name, isComplete: !isPartial(name) })),
    delete: (name) => rm(path.join(folder, name), { recursive: true }),
  };
}

/** Returns the name of a new generation. */
export const newGeneration = (now = new Date()): string =>
  now.toISOString().slice(0, 19).replaceAll(':', '');

/** Returns the time of a generation, in ms; `undefined` for other names. */
function timeOf(name: string): number | undefined {
  const [, day, hours, minutes, seconds] = GENERATION.exec(name) ?? [];
  return day === undefined ? undefined : Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`);
}

/**
 * Deletes the oldest generations, and incomplete ones that a killed command has left.
 *
 * @param keep number of complete generations to keep, at least 1
 * @returns number of complete generations that were deleted
 */
export async function deleteOldGenerations(shelf: Shelf, keep: number): Promise<number> {
  const complete: string[] = [];
  for (const { name, isComplete } of await shelf.list()) {
    const time = timeOf(name);
    if (time === undefined) continue;
    if (isComplete) complete.push(name);
    else if (Date.now() - time > ABANDONED_MS) await shelf.delete(name);
  }
  const old = complete.toSorted().slice(0, -keep);
  for (const name of old) await shelf.delete(name);
  return old.length;
}

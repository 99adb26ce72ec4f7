const MAX_CHARACTERS = 80;
/** Characters with which no name begins or ends: leading points would hide the file. */
const TRIMMED = new Set(['.', '-']);

/** Names of devices in Windows, whatever follows a point. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/**
 * Reduces a title to a file name without an extension, in any script; empty if nothing of it is
 * left.
 */
export function savedName(title: string): string {
  const all = Array.from(title.toWellFormed().replaceAll(/[^\p{L}\p{M}\p{N}._-]+/gu, '-'));
  const start = all.findIndex((character) => !TRIMMED.has(character));
  if (start < 0) return '';
  const kept = all.slice(start, start + MAX_CHARACTERS);
  const name = kept.slice(0, 1 + kept.findLastIndex((character) => !TRIMMED.has(character)));
  return name.join('').replace(RESERVED, '$&-');
}

/** The fields of a record that can name its file. */
export interface Named {
  id: string;
  key: string;
  title: string | null;
  externalId?: string | null | undefined;
}

/** Fields by which the files of an export are named. */
export const FILE_NAMES = ['title', 'key', 'externalId', 'id'] as const;
export type FileNames = (typeof FILE_NAMES)[number];

/**
 * Returns a function that names the files of codes, without extensions, each name once regardless
 * of case and Unicode form, as file systems compare them. A taken name gets the key of the code
 * appended, and then numbers. A code without the field is named by its key, else by its id.
 */
export function fileNamer(field: FileNames): (record: Named) => string {
  const taken = new Set<string>();
  const take = (name: string): boolean => {
    const compared = name.normalize('NFC').toLowerCase();
    if (taken.has(compared)) return false;
    taken.add(compared);
    return true;
  };
  return (record) => {
    const key = savedName(record.key);
    const first = savedName(record[field] ?? '') || key || record.id;
    if (take(first)) return first;
    const second = key === '' || key === first ? first : `${first}-${key}`;
    if (take(second)) return second;
    for (let number = 2; ; number += 1) {
      const name = `${second}-${number}`;
      if (take(name)) return name;
    }
  };
}

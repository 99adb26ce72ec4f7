const MAX_CHARACTERS = 80;
/** Characters with which no name begins or ends: leading points would hide the file. */
const TRIMMED = new Set(['.', '-']);

/**
 * Reduces a title to a file name without an extension, in any script; empty if nothing of it is
 * left.
 */
export function savedName(title: string): string {
  const all = Array.from(title.toWellFormed().replaceAll(/[^\p{L}\p{M}\p{N}._-]+/gu, '-'));
  const start = all.findIndex((character) => !TRIMMED.has(character));
  if (start < 0) return '';
  const kept = all.slice(start, start + MAX_CHARACTERS);
  return kept.slice(0, 1 + kept.findLastIndex((character) => !TRIMMED.has(character))).join('');
}

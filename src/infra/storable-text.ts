/**
 * The first part of a text that Postgres can't hold, as a noun that completes "must not contain …"; `undefined` when it
 * can. It refuses U+0000 (SQLSTATE 22021), and half of a surrogate pair has no UTF-8. Every text from outside passes
 * through this function before it is part of a query.
 */
export function unstorable(text: string): 'null characters' | 'unpaired surrogates' | undefined {
  if (text.includes('\0')) return 'null characters';
  return text.isWellFormed() ? undefined : 'unpaired surrogates';
}

/** True for texts that Postgres can hold. */
export const isStorable = (text: string): boolean => unstorable(text) === undefined;

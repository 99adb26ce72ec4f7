/**
 * Finds the first part of a text that Postgres cannot store, as a noun that completes "must not
 * contain …"; `undefined` if there is none. Postgres rejects U+0000 (SQLSTATE 22021), and half of a
 * surrogate pair has no UTF-8. Every text from outside passes through this function before it is
 * part of a query.
 */
export function unstorable(text: string): 'null characters' | 'unpaired surrogates' | undefined {
  if (text.includes('\0')) return 'null characters';
  return text.isWellFormed() ? undefined : 'unpaired surrogates';
}

/** Returns true for texts that Postgres can store. */
export const isStorable = (text: string): boolean => unstorable(text) === undefined;

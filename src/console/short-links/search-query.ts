/** Maximum numbers of letters and words in a search. */
const SEARCH = { letters: 200, words: 16 };
/** A pasted destination, which the API finds at any length. */
const WHOLE_URL = /^https?:\/\/\S+$/i;

/** Shortens a search to the limits of the API's `query` parameter. */
export function searchQuery(text: string): string {
  const trimmed = text.trim();
  if (WHOLE_URL.test(trimmed)) return trimmed;
  return trimmed.slice(0, SEARCH.letters).split(/\s+/).slice(0, SEARCH.words).join(' ');
}

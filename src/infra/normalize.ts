/**
 * More consecutive combining marks than any script has: Unicode's Stream-Safe Text Format (UAX #15)
 * allows 30.
 */
const TOO_MANY_MARKS = /\p{M}{31}/u;

/**
 * Converts a text to a Unicode normal form. A text with more than 30 consecutive combining marks is
 * left unchanged, because ordering n marks takes time proportional to n².
 */
export function normalize(text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string {
  return TOO_MANY_MARKS.test(text) ? text : text.normalize(form);
}

/**
 * Returns a text in the forms in which it may have been stored: composed as it is stored now (NFC),
 * as it was typed, and decomposed as in file names of macOS (NFD). Most texts have a single form.
 */
export const formsOf = (text: string): string[] => [
  ...new Set([normalize(text, 'NFC'), text, normalize(text, 'NFD')]),
];

/** More combining marks in a row than any script has: Unicode's Stream-Safe Text Format (UAX #15) ends at 30. */
const TOO_MANY_MARKS = /\p{M}{31}/u;

/**
 * A text in a normal form of Unicode. One with more than 30 combining marks in a row stays as it is: to put n of them in
 * order takes time in proportion to n².
 */
export function normalize(text: string, form: 'NFC' | 'NFKC' | 'NFKD'): string {
  return TOO_MANY_MARKS.test(text) ? text : text.normalize(form);
}

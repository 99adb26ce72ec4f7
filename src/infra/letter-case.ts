/*
 * Comparison of texts without regard to case that JavaScript, Postgres and ClickHouse all do alike.
 * A capital letter equals its small letter if each is the only other form of the other: `Ä` and `ä`,
 * but not `ß` and `SS`, `K` (Kelvin) and `k`. Databases know other pairs, depending on version and
 * locale, so they get patterns and tables that are made here.
 */

/** Returns the small letter of a capital one, and any other character unchanged. */
function smallOf(character: string): string {
  const small = character.toLowerCase();
  return small.toUpperCase() === character ? small : character;
}

/** Converts a text to small letters, so that texts which differ only in case become equal. */
export const foldCase = (text: string): string =>
  isAscii(text) ? text.toLowerCase() : Array.from(text, smallOf).join('');

const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

/** Makes a regular expression, for Postgres and RE2, of all spellings of some texts. */
export const spellingsPattern = (texts: readonly string[]): string =>
  `^(?:${texts.map((text) => Array.from(text, spellingsOf).join('')).join('|')})$`;

function spellingsOf(character: string): string {
  const small = smallOf(character);
  const capital = small.toUpperCase();
  if (capital !== small && smallOf(capital) === small) return `[${small}${capital}]`;
  return character.replace(/[$()*+.?[\\\]^{|}]/, String.raw`\$&`);
}

/** Last code point with a capital letter, rounded up (Unicode 17). */
const LAST_LETTER = 0x1_ff_ff;

/** Lists the capital letters beyond ASCII, and the small letters at the same places. */
export function lettersBeyondAscii(): { capitals: string[]; small: string[] } {
  const capitals: string[] = [];
  for (let code = 0x80; code <= LAST_LETTER; code += 1) {
    const character = String.fromCodePoint(code);
    if (smallOf(character) !== character) capitals.push(character);
  }
  return { capitals, small: capitals.map(smallOf) };
}

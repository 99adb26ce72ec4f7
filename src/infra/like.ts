/**
 * Returns a LIKE pattern for texts that contain this one, with `%`, `_` and `\` as literal
 * characters.
 */
export function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

/**
 * Builds SQL that is true if an expression contains this text, ignoring case. In the locale C,
 * which the private database uses, ILIKE knows no capital letters beyond ASCII, so other letters
 * become a regular expression of both their forms. LIKE on `lower` would compare faster, but
 * Postgres has no statistics on it and reads all rows even if the first hundred match.
 *
 * @param expression SQL of a text, not from outside
 */
export function contains(expression: string, text: string): [sql: string, bindings: [string]] {
  if (/^[\x20-\x7e]*$/.test(text)) {
    return [`${expression} ILIKE ?`, [containing(text)]];
  }
  const forms = Array.from(text.normalize('NFC'), (character) =>
    /\p{L}/u.test(character)
      ? `[${formsOf(character).join('')}]`
      : character.replace(/[!-/:-@[-`{-~]/, '\\$&'),
  );
  return [`${expression} ~ ?`, [forms.join('')]];
}

/** Returns a character and its other forms in case, without those of two letters (ß, SS). */
const formsOf = (character: string): string[] => [
  character,
  ...[character.toLowerCase(), character.toUpperCase()].filter(
    (form) => Array.from(form).length === 1,
  ),
];

/** Characters other than ASCII whose lower case is an ASCII letter in some locale, for ILIKE. */
const MORE_FORMS: Readonly<Record<string, readonly string[]>> = { i: ['İ', 'ı'], k: ['\u212A'] };

/** Maximum number of pairs that narrow a search. */
const MAX_PAIRS = 8;

/**
 * Lists the pairs of adjacent characters of a text in all of their forms, as the SQL function
 * `letter_pairs` indexes texts. A text matches {@link contains} only if it has a form of each pair.
 * A single character has its forms instead. The list is empty for a text with three ASCII letters
 * or digits in a row, for which a trigram index has fewer rows.
 */
export function pairsOf(text: string): string[][] {
  if (/[a-z\d]{3}/i.test(text)) return [];
  const characters = Array.from(text.normalize('NFC'), (character) => {
    const forms = formsOf(character).map((form) => (form <= '\x7f' ? form.toLowerCase() : form));
    return [...new Set([...forms, ...(MORE_FORMS[character.toLowerCase()] ?? [])])];
  });
  if (characters.length === 1) return characters;
  return characters
    .slice(1, MAX_PAIRS + 1)
    .map((forms, at) => characters[at]!.flatMap((one) => forms.map((other) => one + other)));
}

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
  const forms = Array.from(text.normalize('NFC'), (character) => {
    if (!/\p{L}/u.test(character)) return character.replace(/[!-/:-@[-`{-~]/, '\\$&');
    const both = [character.toLowerCase(), character.toUpperCase()];
    // A capital form of two letters (ß, SS) is left out.
    return `[${[character, ...both.filter((form) => Array.from(form).length === 1)].join('')}]`;
  });
  return [`${expression} ~ ?`, [forms.join('')]];
}

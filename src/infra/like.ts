/** A LIKE pattern for texts that contain this one, in which `%`, `_` and `\` mean themselves. */
export function containing(part: string): string {
  return `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

/**
 * SQL that is true where an expression contains this text, whatever the case. In the locale C, as of the private
 * database, ILIKE knows no capitals beyond ASCII: other letters are a regular expression of both forms of each. LIKE on
 * `lower` would compare faster, but Postgres has no statistics of it, and reads all rows where the first hundred match.
 *
 * @param expression SQL of a text, not from outside
 */
export function contains(expression: string, part: string): [sql: string, bindings: [string]] {
  if (/^[\x20-\x7e]*$/.test(part)) {
    return [`${expression} ILIKE ?`, [containing(part)]];
  }
  const forms = Array.from(part.normalize('NFC'), (character) => {
    if (!/\p{L}/u.test(character)) return character.replace(/[!-/:-@[-`{-~]/, '\\$&');
    const both = [character.toLowerCase(), character.toUpperCase()];
    // A capital of two letters (ß, SS) is no form of one.
    return `[${[character, ...both.filter((form) => Array.from(form).length === 1)].join('')}]`;
  });
  return [`${expression} ~ ?`, [forms.join('')]];
}

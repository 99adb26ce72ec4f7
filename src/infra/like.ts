/** A LIKE pattern for texts that contain this one, in which `%`, `_` and `\` mean themselves. */
export function containing(part: string): string {
  return `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

/**
 * SQL that compares a text with a pattern, which matches where the text contains this one, whatever the case. In the
 * locale C, as of the private database, ILIKE knows no capitals beyond ASCII: for other letters it is a regular
 * expression of both forms of each.
 */
export function matching(part: string): { operator: 'ILIKE' | '~'; pattern: string } {
  if (/^[\x20-\x7e]*$/.test(part)) return { operator: 'ILIKE', pattern: containing(part) };
  const forms = Array.from(part.normalize('NFC'), (character) => {
    if (!/\p{L}/u.test(character)) return character.replace(/[!-/:-@[-`{-~]/, '\\$&');
    const both = [character.toLowerCase(), character.toUpperCase()];
    // A capital of two letters (ß, SS) is no form of one.
    return `[${[character, ...both.filter((form) => Array.from(form).length === 1)].join('')}]`;
  });
  return { operator: '~', pattern: forms.join('') };
}

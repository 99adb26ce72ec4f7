type Row = Readonly<Record<string, unknown>>;

/** Minimum width of a column on a narrow terminal, in characters. */
const NARROWEST = 12;
const GAP = '  ';

/**
 * Escapes control characters like JSON, since they would move the cursor of a terminal or change
 * its colors.
 */
const visible = (text: string): string =>
  text.replaceAll(
    // oxlint-disable-next-line no-control-regex -- the pattern must find control characters
    /[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

function shown(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  if (value instanceof Date) return value.toISOString();
  return visible(typeof value === 'string' ? value : JSON.stringify(value));
}

/**
 * Formats a result for people: a list as a table with a line per record, and a record with a line
 * per field.
 *
 * @param width width of the terminal, in characters; cells that do not fit are truncated.
 *   `undefined`: no truncation
 */
export function toText(result: object, width?: number): string {
  if (!Array.isArray(result)) {
    return align(
      Object.entries(result).map(([name, value]) => [name, shown(value)]),
      undefined,
    );
  }
  const rows = result as Row[];
  if (rows.length === 0) return 'There are none.';
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return align([names, ...rows.map((row) => names.map((name) => shown(row[name])))], width);
}

/** Aligns cells in columns. */
export function align(lines: readonly (readonly string[])[], width: number | undefined): string {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => line[column]!.length)),
  );
  if (width !== undefined) fit(widths, width);
  return lines
    .map((line) =>
      line
        .map((cell, column) => cut(cell, widths[column]!).padEnd(widths[column]!))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}

/** Narrows the widest column until the line fits, or every column has the minimum width. */
function fit(widths: number[], width: number): void {
  const totalWidth = () => widths.reduce((sum, one) => sum + one, (widths.length - 1) * GAP.length);
  while (totalWidth() > width) {
    const widest = Math.max(...widths);
    if (widest <= NARROWEST) return;
    widths[widths.indexOf(widest)] = widest - 1;
  }
}

const cut = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, width - 1)}…`;

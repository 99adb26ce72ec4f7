import { saveFile } from '../ui/save-file.ts';

/**
 * Text of a cell, RFC 4180. Texts that a spreadsheet would take for a formula get an apostrophe before them, as in the
 * exports of the API.
 */
function cell(value: string | number): string {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : `${value}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Saves rows as a CSV file; the first one has the names of the columns. */
export function saveCsv(name: string, rows: readonly (readonly (string | number)[])[]): void {
  const text = rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
  saveFile(new Blob([`\ufeff${text}`], { type: 'text/csv;charset=utf-8' }), `${name}.csv`);
}

/*
 * Writes CSV (RFC 4180) for exports of the service and of the console. This file imports nothing,
 * because the console includes it.
 */

/**
 * Positions at which a spreadsheet program could start to read a formula: the start of each line of
 * a cell.
 */
const FORMULA = /^(?='*[=+\-@\t\uff1d\uff0b\uff0d\uff20])/gm;
const GUARDED = /^'(?='*[=+\-@\t\uff1d\uff0b\uff0d\uff20])/gm;

/**
 * Makes formulas in a text harmless: an apostrophe is put in front of each line that begins with
 * `=`, `+`, `-`, `@` (including their full-width forms) or a tab, and of lines that begin with
 * apostrophes and one of these. `unguarded` is the inverse.
 */
export const guarded = (text: string): string => text.replaceAll(FORMULA, "'");

/** Removes the apostrophes that `guarded` has added. */
export const unguarded = (text: string): string => text.replaceAll(GUARDED, '');

function cell(value: string | number): string {
  const text = typeof value === 'number' ? `${value}` : guarded(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Formats rows as lines of CSV. Texts are guarded; numbers, which can be negative, are not. */
export const csvLines = (rows: readonly (readonly (string | number)[])[]): string =>
  rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');

/**
 * Byte order mark for the start of a file; without it, spreadsheet programs do not recognize UTF-8.
 */
export const BOM = '\ufeff';

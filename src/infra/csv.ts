/*
 * CSV as RFC 4180 defines it, for the exports of the service and of the console: this file imports nothing.
 */

/** A position at which a spreadsheet program could begin to read a formula: the start of each line of a cell. */
const FORMULA = /^(?='*[=+\-@\t\uff1d\uff0b\uff0d\uff20])/gm;
const GUARDED = /^'(?='*[=+\-@\t\uff1d\uff0b\uff0d\uff20])/gm;

/**
 * A text in which no line is a formula: an apostrophe is put before each line that begins with `=`, `+`, `-`, `@` (also
 * their full-width forms) or a tab, and before one that begins with apostrophes and one of these. `unguarded` is its
 * inverse.
 */
export const guarded = (text: string): string => text.replaceAll(FORMULA, "'");

/** The text that `guarded` was given. */
export const unguarded = (text: string): string => text.replaceAll(GUARDED, '');

function cell(value: string | number): string {
  const text = typeof value === 'number' ? `${value}` : guarded(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Rows as lines of CSV. Texts are guarded; numbers, which can be negative, are not. */
export const csvLines = (rows: readonly (readonly (string | number)[])[]): string =>
  rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');

/** Byte order mark at the start of a file, without which spreadsheet programs take UTF-8 for something else. */
export const BOM = '\ufeff';

import { stringify } from 'csv-stringify/sync';

export const FORMATS = ['csv', 'ndjson'] as const;
export type ExportFormat = (typeof FORMATS)[number];

export const MEDIA_TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
};

/** Some records as they are exported: text in parts, each of a page of records. */
export type Parts = AsyncGenerator<string, void, undefined>;

/**
 * Records as NDJSON, or as CSV (RFC 4180) with a column for each field that `columns` names. Texts that a spreadsheet
 * would take for a formula get an apostrophe before them.
 */
export async function* formatted<T extends object>(
  pages: AsyncIterable<readonly T[]>,
  format: ExportFormat,
  columns: readonly string[],
  toRow: (record: T) => Record<string, unknown>,
): Parts {
  if (format === 'csv') yield `\ufeff${line([columns])}`;
  for await (const page of pages) {
    if (page.length === 0) continue;
    if (format === 'ndjson') {
      yield page.map((record) => `${JSON.stringify(record)}\n`).join('');
      continue;
    }
    yield line(
      page.map((record) => {
        const row = toRow(record);
        return columns.map((name) => cell(row[name]));
      }),
    );
  }
}

const line = (rows: readonly (readonly unknown[])[]): string =>
  stringify(rows as unknown[][], { escape_formulas: true, record_delimiter: 'windows' });

/** The text of a cell: strings, numbers and booleans as they are, anything else as JSON. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object'
    ? JSON.stringify(value)
    : `${value as string | number | boolean}`;
}

import { BOM, csvLines } from '../infra/csv.ts';
import { ARCHIVE_MEDIA } from './archive.ts';

export const FORMATS = ['csv', 'ndjson'] as const;
export type ExportFormat = (typeof FORMATS)[number];

/** Format of the export of a workspace, and the end of its file's name. */
export const ARCHIVE = 'jsonl.gz';
export type StoredFormat = ExportFormat | typeof ARCHIVE;

export const MEDIA_TYPES: Record<StoredFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  [ARCHIVE]: ARCHIVE_MEDIA,
};

/** Some records as they are exported: text in parts, each of a page of records. */
export type Parts = AsyncGenerator<string, void, undefined>;

/**
 * Records as NDJSON, or as CSV with a column for each field that `columns` names.
 */
export async function* formatted<T extends object>(
  pages: AsyncIterable<readonly T[]>,
  format: ExportFormat,
  columns: readonly string[],
  toRow: (record: T) => Record<string, unknown>,
): Parts {
  if (format === 'csv') yield BOM + csvLines([columns]);
  for await (const page of pages) {
    if (page.length === 0) continue;
    if (format === 'ndjson') {
      yield page.map((record) => `${JSON.stringify(record)}\n`).join('');
      continue;
    }
    yield csvLines(
      page.map((record) => {
        const row = toRow(record);
        return columns.map((name) => cell(row[name]));
      }),
    );
  }
}

/** A cell: strings and numbers as they are, anything else as JSON. */
function cell(value: unknown): string | number {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value);
}

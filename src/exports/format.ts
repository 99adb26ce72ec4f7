import { type Answer, ok } from '../http/route.ts';
import { BOM, csvLines } from '../infra/csv.ts';
import { ARCHIVE_MEDIA } from './archive.ts';

export const FORMATS = ['csv', 'ndjson'] as const;
export type ExportFormat = (typeof FORMATS)[number];

/** Format of workspace exports, and their file extension. */
export const ARCHIVE = 'jsonl.gz';
/** Formats of stored exports: the last two have images of QR codes. */
export type StoredFormat = ExportFormat | typeof ARCHIVE | 'zip' | 'pdf';

export const MEDIA_TYPES: Record<StoredFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  [ARCHIVE]: ARCHIVE_MEDIA,
  zip: 'application/zip',
  pdf: 'application/pdf',
};

/** An export as text in parts, each with a page of records. */
export type Parts = AsyncGenerator<string, void, undefined>;

/** Formats records as NDJSON, or as CSV with a column for each field in `columns`. */
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

/** Formats a cell: strings and numbers unchanged, anything else as JSON. */
function cell(value: unknown): string | number {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value);
}

/** Answers with a file that browsers save. @param content the file, or its parts */
export const fileAnswer = (
  content: Buffer | AsyncGenerator<string | Buffer, void, undefined>,
  name: string,
  format: StoredFormat,
): Answer => ({
  ...ok(content),
  headers: {
    'Content-Type': MEDIA_TYPES[format],
    'Content-Disposition': `attachment; filename="${name}.${format}"`,
    'X-Content-Type-Options': 'nosniff',
  },
});

import { parse } from 'csv-parse/browser/esm/sync';

/** Returns the delimiter of a sheet: the most frequent one in its first line. */
function delimiterOf(text: string): string {
  const [line = ''] = text.split('\n', 1);
  const count = (delimiter: string) => line.split(delimiter).length;
  return [',', ';', '\t'].toSorted((a, b) => count(b) - count(a))[0]!;
}

/**
 * Reads the cells of a sheet in CSV or TSV by row, without empty rows.
 *
 * @param delimiter the most frequent one of the first line by default
 * @returns the rows, or the reason why the text cannot be read
 */
export function readCells(
  text: string,
  delimiter = delimiterOf(text),
): string[][] | { fault: string } {
  try {
    return parse(text, {
      bom: true,
      delimiter,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    });
  } catch (error) {
    return { fault: `This isn’t a valid CSV file. ${(error as Error).message}.` };
  }
}

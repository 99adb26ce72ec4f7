import { BOM, csvLines } from '../../infra/csv.ts';
import { saveFile } from '../ui/save-file.ts';

/** Saves rows as a CSV file; the first row contains the column names. */
export function saveCsv(name: string, rows: readonly (readonly (string | number)[])[]): void {
  saveFile(new Blob([BOM + csvLines(rows)], { type: 'text/csv;charset=utf-8' }), `${name}.csv`);
}

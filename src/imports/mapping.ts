import { Refusal } from '../errors.ts';
import { type FieldName, guessMapping } from './fields.ts';
import type { Import, Mapping } from './model.ts';

/** Returns the fields of the columns, in order; `null` for an ignored column. */
export function fieldsOf({
  file,
  options,
}: Pick<Import, 'file' | 'options'>): (FieldName | null)[] {
  const { mapping } = options;
  const mappedFields = new Set(Object.values(mapping));
  const guesses = guessMapping(file.columns);
  return file.columns.map((column) => {
    if (Object.hasOwn(mapping, column)) return mapping[column] ?? null;
    const guess = guesses[column];
    return guess === undefined || mappedFields.has(guess) ? null : guess;
  });
}

/**
 * @throws Refusal `unprocessable_entity` for a column that the file does not have, or two columns
 * mapped to one field
 */
export function refuseWrongMapping(mapping: Mapping, columns: readonly string[]): void {
  const unknown = Object.keys(mapping).filter((column) => !columns.includes(column));
  const names = Object.values(mapping).filter((field) => field !== null);
  const twice = names.filter((field, at) => names.indexOf(field) !== at);
  const faults = [
    ...unknown.map((column) => `mapping must not name "${column}": the file has no such column`),
    ...twice.map((field) => `mapping must not have two columns of ${field}`),
  ];
  if (faults.length > 0) throw new Refusal('unprocessable_entity', faults.slice(0, 10).join('; '));
}

/** @throws Refusal `unprocessable_entity` if no column contains the destination */
export function refuseWithoutUrl(importRow: Pick<Import, 'file' | 'options'>): void {
  if (importRow.file.archive !== undefined || fieldsOf(importRow).includes('url')) return;
  throw new Refusal(
    'unprocessable_entity',
    'mapping must map a column to url: no header is url, long_url, destination or similar',
  );
}

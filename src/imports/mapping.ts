import { Refusal } from '../errors.ts';
import { type FieldName, guessMapping } from './fields.ts';
import type { FileRow, Import, Mapping } from './model.ts';

/** Returns the fields of the columns, in order; `null` for an ignored column. */
export function fieldsOf({
  file,
  options,
}: Pick<Import, 'file' | 'options'>): (FieldName | null)[] {
  const { mapping } = options;
  const mappedFields = new Set(Object.values(mapping));
  const guesses = file.guesses ?? guessMapping(file.columns);
  return file.columns.map((column) => {
    if (Object.hasOwn(mapping, column)) return mapping[column] ?? null;
    const guess = guesses[column];
    return !guess || mappedFields.has(guess) ? null : guess;
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

/** Makes a function that tells whether a row has a key, alone or in its short link. */
export function keyFinder(
  importRow: Pick<Import, 'file' | 'options'>,
): (cells: readonly string[]) => boolean {
  const positions = [...fieldsOf(importRow).entries()].flatMap(([at, field]) =>
    field === 'key' || field === 'shortLink' ? [at] : [],
  );
  return (cells) => positions.some((at) => (cells[at] ?? '').trim() !== '');
}

/** Counts the rows without a key. */
export function countKeyless(
  importRow: Pick<Import, 'file' | 'options'>,
  rows: readonly FileRow[],
): number {
  const hasKey = keyFinder(importRow);
  return rows.filter(([, ...cells]) => !hasKey(cells)).length;
}

/**
 * @throws Refusal `unprocessable_entity` if links would get random keys and nobody has allowed it
 */
export function refuseRandomKeys(importRow: Pick<Import, 'file' | 'options' | 'rows'>): void {
  const fault = randomKeysFault(importRow);
  if (fault !== undefined) throw new Refusal('unprocessable_entity', fault);
}

/** Returns the violated rule, where links would get random keys and nobody has allowed it. */
export function randomKeysFault({
  file: { keyless = 0 },
  options,
  rows,
}: Pick<Import, 'file' | 'options' | 'rows'>): string | undefined {
  if (keyless === 0 || options.allowRandomKeys === true) return undefined;
  const sentence = keylessSentence(keyless, rows, 'would get');
  return `allowRandomKeys must be true: ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
}

/** Says how many of the rows have no key. */
export function keylessSentence(keyless: number, rows: number, verb: 'would get' | 'got'): string {
  if (rows === 1) return `The only row has no key: its link ${verb} a random one`;
  if (keyless === rows) return `None of the ${rows} rows has a key: each link ${verb} a random one`;
  return keyless === 1
    ? `1 of the ${rows} rows has no key: its link ${verb} a random one`
    : `${keyless} of the ${rows} rows have no key: each of their links ${verb} a random one`;
}

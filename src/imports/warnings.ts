import { Joi, nullable, requiredCount, requiredText } from '../http/fields.ts';
import type { FieldName } from './fields.ts';
import type { ColumnFormat } from './formats.ts';
import { fieldsOf, keylessSentence } from './mapping.ts';
import type { Fault, Import, LeftOut } from './model.ts';

/** Maximum number of different warnings about values that were left out. */
const MAX_LEFT_OUT = 100;
/** Fields of dates, and of numbers. */
const DATES: ReadonlySet<FieldName> = new Set(['createdAt', 'startsAt', 'expiresAt']);
const NUMBERS: ReadonlySet<FieldName> = new Set(['importedClicks', 'maxVisits', 'redirectStatus']);

/** A risk of starting an import, or values that it left out. */
export interface ImportWarning {
  /** Name of the column; `null` for the whole file. */
  column: string | null;
  /** Number of rows. */
  rows: number;
  message: string;
}

/** Schema of a warning. */
export const importWarning = Joi.object({
  column: nullable.description('Name of the column; null for the whole file.').example(null),
  rows: requiredCount.description('Number of rows.').example(812),
  message: requiredText
    .description('The warning, as a sentence.')
    .example('None of the 812 rows has a key: each link would get a random one'),
}).meta({ name: 'ImportWarning' });

/** Lists the warnings about an import; the first one is about missing keys. */
export function warningsOf(importRow: Import): ImportWarning[] {
  const { file, rows, started_at } = importRow;
  const { keyless = 0, isCounting, guesses, formats = [], leftOut = [] } = file;
  const whole = (message: string, count = rows) => ({ column: null, rows: count, message });
  const verb = started_at === null ? 'would get' : 'got';
  const fields = fieldsOf(importRow);
  return [
    ...(keyless === 0 || isCounting === true
      ? []
      : [whole(keylessSentence(keyless, rows, verb), keyless)]),
    ...(guesses === undefined
      ? []
      : [whole('The file has no header: columns are mapped by what its first rows contain')]),
    ...formats.flatMap((format, at) => {
      const column = file.columns[at] ?? null;
      return readings(fields[at] ?? null, format).map((message) => ({ column, rows, message }));
    }),
    ...leftOut.map(({ column, rows: count, first, message }) => ({
      column,
      rows: count,
      message:
        count === 1
          ? `A value was left out, in row ${first}: ${message}`
          : `${count} values were left out, first in row ${first}: ${message}`,
    })),
  ];
}

const ORDERS = { day: 'day/month/year', month: 'month/day/year' } as const;

/** Says how the dates and numbers of a column are read, where that is not the only way. */
function readings(field: FieldName | null, { dates, doubt, numbers }: ColumnFormat): string[] {
  if (field !== null && DATES.has(field) && dates !== undefined) {
    const other = dates === 'day' ? 'month' : 'day';
    const why = {
      guess: ', which no date of the file shows',
      mixed: `, although some are ${ORDERS[other]}`,
    };
    const reading = `Dates such as 8/9/2024 are read as ${ORDERS[dates]}`;
    return [`${reading}${doubt === undefined ? '' : why[doubt]}`];
  }
  if (field === null || !NUMBERS.has(field) || numbers === undefined) return [];
  return [`Numbers such as 1${numbers}234 are read as 1234`];
}

/** Adds values that were left out of a row to those of earlier rows. */
export function addLeftOut(leftOut: LeftOut[], row: number, faults: readonly Fault[]): LeftOut[] {
  if (faults.length === 0) return leftOut;
  const merged = [...leftOut];
  for (const { column, message: whole } of faults) {
    // Members of a list break the rule of the list.
    const message = whole.replace(/^(\w+)\[\d+\]/, '$1');
    const at = merged.findIndex((each) => each.column === column && each.message === message);
    if (at !== -1) merged[at] = { ...merged[at]!, rows: merged[at]!.rows + 1 };
    else if (merged.length < MAX_LEFT_OUT) merged.push({ column, message, rows: 1, first: row });
  }
  return merged;
}

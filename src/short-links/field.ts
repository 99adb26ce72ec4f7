import type Joi from 'joi';
import type { RecordContext } from './record-context.ts';

/*
 * A field that links and QR codes share is one row of a table (`fields.ts`). Everything else
 * follows from the row: the types below, the bodies of requests and their defaults (`schema.ts`),
 * the columns of a new row (`model.ts`), what a change does (`write.ts`), and the record, the
 * reference and the export (`record.ts`).
 */

/** A row of the table of fields; its key is the name in bodies and records. */
export interface Field {
  /** Column of `links` and of `qrcodes`. Absent: other tables hold the value. */
  column?: string;
  /** Schema in bodies. Absent: callers can't set it. */
  in?: Joi.Schema;
  /** Schema in records. Absent: records don't show it. */
  out?: Joi.Schema;
  /**
   * Computes the value in records, if it differs from the column's. A change of the field then
   * leaves the column alone, and the command sets it.
   */
  read?(context: Required<RecordContext>, row: Readonly<Record<string, unknown>>): unknown;
  /**
   * Value for a new record if the body has none. Columns without one (ids, times, the key) are set
   * by the command.
   */
  default?: boolean | number | string | null;
  /** The column holds an instant; bodies and records have it in ISO 8601. */
  isTime?: true;
  /** Two records cannot share a value, so bulk changes refuse the field. */
  isSingular?: true;
  /** QR codes refuse to change it, since the printed code contains it. */
  isPrinted?: true;
  /** Marks an extension of the contract in bodies, in records or in both; every new field is one. */
  extension?: 'in' | 'out' | 'both';
  /**
   * Number of its column in the CSV export of links, unique together with `OWN_COLUMNS` of
   * `src/exports/records.ts`; a new column gets the next number. Absent: not exported.
   */
  csv?: number;
  /** Text in the API reference, with units. */
  description: string;
  /** Example in the API reference. */
  example: unknown;
}

export type FieldTable = Readonly<Record<string, Field>>;

type Checked<Schema> = Schema extends Joi.AnySchema<infer Value> ? Value : never;
type Default<Row> = Row extends { default: infer Value } ? Value : never;

/**
 * The type of a field's value in bodies and records: the type of its schema, plus `null` if that is
 * the default.
 */
type Value<Row> =
  | Default<Row>
  | (Row extends { in: infer Schema }
      ? Checked<Schema>
      : Row extends { out: infer Schema }
        ? Checked<Schema>
        : never);

type Stored<Row> = Row extends { isTime: true } ? Date | Extract<Value<Row>, null> : Value<Row>;

/** The fields of a body; an absent field is not changed. */
export type BodyOf<Table> = {
  -readonly [Name in keyof Table as Table[Name] extends { in: unknown } ? Name : never]?:
    | Value<Table[Name]>
    | undefined;
};

/** The columns of a row. */
export type ColumnsOf<Table> = {
  -readonly [Name in keyof Table as Table[Name] extends { column: infer Column extends string }
    ? Column
    : never]: Stored<Table[Name]>;
};

/** The columns that have a default. */
export type DefaultsOf<Table> = {
  -readonly [Name in keyof Table as Table[Name] extends {
    column: infer Column extends string;
    default: unknown;
  }
    ? Column
    : never]: Stored<Table[Name]>;
};

/** The members of a record. */
export type RecordOf<Table> = {
  -readonly [Name in keyof Table as Table[Name] extends { out: unknown }
    ? Name
    : never]: Table[Name] extends { read: (context: never, row: never) => infer Shown }
    ? Shown
    : Value<Table[Name]>;
};

/** The documented schema of a field in bodies or in records; empty if the field is not there. */
export function described(name: string, field: Field, side: 'in' | 'out'): [string, Joi.Schema][] {
  const { [side]: schema, description, example, extension } = field;
  if (schema === undefined) return [];
  const documented = schema.description(description).example(example);
  const isExtension = extension === side || extension === 'both';
  return [[name, isExtension ? documented.meta({ extension: true }) : documented]];
}

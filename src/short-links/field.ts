import type Joi from 'joi';
import { Joi as Schemas } from '../http/fields.ts';
import type { RecordContext } from './record-context.ts';

/*
 * A field that links and QR codes share is one row of a table (`fields.ts`). Everything else follows from the row: the
 * types below, the bodies of requests and their defaults (`schema.ts`), the columns of a new row (`model.ts`), what a
 * change does (`write.ts`), and the record, the reference and the export (`record.ts`).
 */

/** A row of the table of fields; its key is the name in bodies and records. */
export interface Field {
  /** Column of `links` and of `qrcodes`. Absent: other tables hold the value. */
  column?: string;
  /** Schema in bodies. Absent: callers can't set it. */
  in?: Joi.Schema;
  /** Schema in records. Absent: records don't show it. */
  out?: Joi.Schema;
  /** Value in records, where that isn't the column's; the column, if there is one, is then written by commands. */
  read?(context: Required<RecordContext>, row: Readonly<Record<string, unknown>>): unknown;
  /** Value of a new record whose body has none. A column without a default is set by whoever makes the row. */
  default?: boolean | number | string | null;
  /** The column holds a point in time, which bodies and records have in ISO 8601. */
  isTime?: true;
  /** One value can't be given to many records: bulk changes refuse it. */
  isSingular?: true;
  /** QR codes refuse to change it: it is in the printed code. */
  isPrinted?: true;
  /** The contract does not have it, in bodies, in records or in both; every new field is such an extension. */
  extension?: 'in' | 'out' | 'both';
  /**
   * Place among the columns of the CSV export of links, counted together with `OWN_COLUMNS` of `src/exports/links.ts`; a
   * new one comes last. Absent: not exported.
   */
  csv?: number;
  /** For the reference, with units. */
  description: string;
  /** For the reference. */
  example: unknown;
}

export type FieldTable = Readonly<Record<string, Field>>;

type Checked<Schema> = Schema extends Joi.AnySchema<infer Value> ? Value : never;
type Default<Row> = Row extends { default: infer Value } ? Value : never;

/** A value in bodies and records: the type is that of the schema; `null` is the default where it is allowed. */
type Value<Row> =
  | Default<Row>
  | (Row extends { in: infer Schema }
      ? Checked<Schema>
      : Row extends { out: infer Schema }
        ? Checked<Schema>
        : never);

type Stored<Row> = Row extends { isTime: true } ? Date | Extract<Value<Row>, null> : Value<Row>;

/** The fields of a body; an absent one is not changed. */
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

/** A text of a record, or `null`. */
export const nullable = Schemas.string().allow(null).required();

/** The schema of a field in bodies or in records, as the reference documents it; none where it has none. */
export function described(name: string, field: Field, side: 'in' | 'out'): [string, Joi.Schema][] {
  const { [side]: schema, description, example, extension } = field;
  if (schema === undefined) return [];
  const documented = schema.description(description).example(example);
  const isExtension = extension === side || extension === 'both';
  return [[name, isExtension ? documented.meta({ extension: true }) : documented]];
}

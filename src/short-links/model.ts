import type { Model } from 'objection';
import type { Limits } from '../infra/limits.ts';
import { type Narrowed, WorkspaceModel } from '../infra/model.ts';
import { insideSql } from '../workspaces/limits.ts';
import type { DefaultsOf, FieldTable } from './field.ts';
import { fields, type SharedColumns } from './fields.ts';

/**
 * The common columns of links and QR codes: one for each shared field, and those declared below.
 */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging -- the columns of a model are never initialized
export class ShortLinkModel extends WorkspaceModel {
  declare password_fingerprint: string | null;
  /** Destinations that may be shown in a frame, without their UTM parameters. */
  declare frameable: string[] | null;
  /** Text that searches match against (`searchTextOf` in write.ts). */
  declare search_text: string;

  /** Leaves out what is outside of the limits of the caller. */
  static override narrow(rows: Narrowed, limits: Limits): void {
    rows.whereRaw(...insideSql(limits, (column) => `${this.tableName}.${column}`));
  }
}
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging -- as above
export interface ShortLinkModel extends SharedColumns {}

/** The columns of a model, without its methods. */
export type RowOf<Row extends Model> = Pick<Row, Exclude<keyof Row, keyof Model>>;

export type ShortLinkRow = RowOf<ShortLinkModel>;

/** Defaults of the columns of a new row. */
export function blankColumns<Table extends FieldTable>(table: Table): DefaultsOf<Table> {
  return Object.fromEntries(
    Object.values(table).flatMap(({ column, default: value }) =>
      column === undefined || value === undefined ? [] : [[column, value]],
    ),
  ) as DefaultsOf<Table>;
}

/** Defaults of the shared columns of a new row, without the ids and times of {@link RowIds}. */
export const BLANK_ROW = {
  ...blankColumns(fields),
  password_fingerprint: null,
  frameable: null,
  search_text: '',
};

/** The columns of a new row that have no defaults. */
export type RowIds = Omit<ShortLinkRow, keyof typeof BLANK_ROW>;

const NO_IDS = {
  project_id: '',
  id: '',
  user_id: '',
  domain_id: '',
  key: '',
  created_at: null,
  updated_at: null,
} satisfies Record<keyof RowIds, unknown>;

/**
 * Completes the defaults of the columns of a new row. Its copies are fast: an object with dozens of
 * members that were added under computed names is a hash table for V8, as is each copy of it
 * (docs/performance.md, Measured idioms).
 *
 * @param columns values of JSON
 */
export const blankRow = <Columns extends object>(columns: Columns): Columns =>
  JSON.parse(JSON.stringify({ ...NO_IDS, ...columns })) as Columns;

/** A link or a QR code, under its name in jobs, webhook events and bulk answers. */
export type RecordKind = 'link' | 'qrcode';

/** The tables of links or of QR codes. */
export interface ShortLinkTables {
  kind: RecordKind;
  table: 'links' | 'qrcodes';
  tags: { table: 'link_tags'; column: 'link_id' } | { table: 'qrcode_tags'; column: 'qrcode_id' };
  /** Name of a record in error messages. */
  noun: string;
}

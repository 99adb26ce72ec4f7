import type { Db } from '../infra/db.ts';
import type { LinkEntry } from '../lookup/entry.ts';
import type { RoutedChanges } from './fields.ts';
import type { Query } from './filters.ts';
import type { RoutedRow } from './model.ts';
import type { RecordContext } from './record.ts';
import type { NewRow } from './rules.ts';
import type { RecordTables } from './tables.ts';

/**
 * A kind of record that a key stands for. Links and QR codes share how they are claimed, stored, changed and
 * deleted; what differs between them is here.
 */
export interface RecordKind<Row extends RoutedRow, Changes extends RoutedChanges, Sealed>
  extends RecordTables {
  /** As messages call it. */
  noun: string;
  /** A query over the rows of one workspace. */
  rows(projectId: string, connection?: Db): Query;
  /** The row of a new record before its caller's fields are applied. */
  blank(ids: NewRow, now: Date): Row;
  /** The row as it is after the changes. @throws Refusal when they do not fit together */
  apply(row: Row, changes: Changes): Row;
  /** @throws Refusal `conflict` when what was made to stay would change */
  refuseFixed(before: Row, after: Row): void;
  /**
   * Judges the row under its name, and works out what follows from the name.
   *
   * @param domain name of its domain
   * @throws Refusal `unprocessable_entity`
   */
  finish(row: Row, domain: string): Row;
  /**
   * What the redirect process needs to know of it.
   *
   * @param known an entry of the same record whose password has not changed: its hash is used again
   */
  entry(row: Row, domain: string, known?: LinkEntry): Promise<string>;
  /** The record of the contract; its password is still sealed. */
  toSealed(row: Row, context: RecordContext): Sealed;
}

import type { Schema } from 'joi';
import type { ErrorBody } from '../errors.ts';
import { Joi } from '../http/fields.ts';
import { openSealed, type Sealed } from '../jobs/sealed.ts';
import type { Caller } from '../workspaces/api-keys.ts';
import { includesScope } from '../workspaces/scopes.ts';
import { type ColumnsOf, described, type Field, type FieldTable, type RecordOf } from './field.ts';
import { fields, type SharedRecord } from './fields.ts';
import type { RecordKind, ShortLinkRow } from './model.ts';
import { NO_COUNTERS, type RecordContext } from './record-context.ts';

/** The record of a row. */
export function recordOf<Table extends FieldTable>(
  table: Table,
  row: ColumnsOf<Table>,
  context: Required<RecordContext>,
): RecordOf<Table> {
  const columns: Readonly<Record<string, unknown>> = row;
  const record: Record<string, unknown> = {};
  for (const { name, column, read } of shownIn(table)) {
    const value = read === undefined ? columns[column] : read(context, columns);
    record[name] = value instanceof Date ? value.toISOString() : value;
  }
  return record as RecordOf<Table>;
}

/** The fields that a table's records show. */
type Shown = Required<Pick<Field, 'column'>> & Pick<Field, 'read'> & { name: string };
const shown = new WeakMap<FieldTable, Shown[]>();

function shownIn(table: FieldTable): Shown[] {
  let found = shown.get(table);
  if (found === undefined) {
    found = Object.entries(table).flatMap(([name, { column = '', out, read }]) =>
      out === undefined ? [] : [{ name, column, ...(read === undefined ? {} : { read }) }],
    );
    shown.set(table, found);
  }
  return found;
}

/** The fields that links and QR codes share; the password is still sealed. */
export function toSharedRecord(
  row: ShortLinkRow,
  { domain, tags, counters = NO_COUNTERS }: RecordContext,
): SealedRecord {
  const password = row.password === null ? null : { sealed: row.password };
  return Object.assign(recordOf(fields, row, { domain, tags, counters }), { password });
}

/** The shared fields of a record as jobs and their results carry them. */
type SealedRecord = Omit<SharedRecord, 'password'> & { password: Sealed | null };

/** A record for its owner: its password, which is stored encrypted, is opened. */
export function openPassword(record: object): object {
  const { projectId, password } = record as Pick<SealedRecord, 'projectId' | 'password'>;
  // Rows that an event remembers belong to no workspace, and have no password.
  if (password === null || password === undefined) return record;
  return { ...record, password: openSealed(projectId, 'password', password) };
}

/** A record for those who may not write it: that there is a password, and not which. */
export const hidePassword = <Item extends object>(record: Item): Item & { password: null } => ({
  ...record,
  password: null,
});

/** One place of a bulk answer: the record, or why there is none and what was sent, sealed. */
export type BulkItem<Sealed> = Sealed | (ErrorBody & { [noun: string]: unknown });

/** Schemas of a record. */
export function recordSchemas(table: FieldTable): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(table).flatMap(([name, field]) => described(name, field, 'out')),
  );
}

/** The shared fields of the records, for the reference and for checking answers. */
export const sharedRecordFields = recordSchemas(fields);

/** An array of records and errors, in the order of the request. */
export const bulkAnswerOf = (record: Schema, noun: string) =>
  Joi.array().items(
    Joi.alternatives(
      record,
      Joi.object({
        error: Joi.object({
          code: Joi.string().required().description('Name of the error.'),
          message: Joi.string().required().description('Explanation for a person.'),
          doc_url: Joi.string().description('Address of the explanation of the error.'),
        })
          .required()
          .description('Error that kept it from being written.'),
        [noun]: Joi.any().description('Input, as sent.'),
      }).meta({ name: noun === 'link' ? 'BulkLinkError' : 'BulkQrCodeError' }),
    ).meta({ name: noun === 'link' ? 'BulkLinkResult' : 'BulkQrCodeResult' }),
  );

/** Response of a count: a number, or one for each group. */
export const countAnswer = Joi.alternatives(
  Joi.number().integer(),
  Joi.array().items(
    Joi.object({
      domain: Joi.string().description('Domain; with `groupBy=domain`.').example('go.example.com'),
      tagId: Joi.string().description('Id of the tag; with `groupBy=tag`.'),
      folderId: Joi.string().description('Id of the folder; with `groupBy=folder`.'),
      _count: Joi.number().integer().required().description('Number of records.'),
    }).meta({ name: 'GroupCount' }),
  ),
)
  .description('A number; with `groupBy`, one for each domain, tag or folder.')
  .meta({ name: 'Count' });

/** Columns of the export, with their places. */
export function csvColumns(table: FieldTable): Record<string, number> {
  return Object.fromEntries(
    Object.entries(table).flatMap(([name, { csv }]) => (csv === undefined ? [] : [[name, csv]])),
  );
}

/** True for a caller who may read the passwords of links, or of QR codes: one who may write them. */
export const mayReadPasswords = ({ scopes }: Pick<Caller, 'scopes'>, kind: RecordKind): boolean =>
  includesScope(scopes, `${kind}s.write`);

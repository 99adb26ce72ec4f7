import type { Schema } from 'joi';
import type { ErrorBody } from '../errors.ts';
import { Joi, requiredCount, requiredText } from '../http/fields.ts';
import { openSealed, type Sealed } from '../jobs/sealed.ts';
import type { Caller } from '../workspaces/api-keys.ts';
import { includesScope } from '../workspaces/scopes.ts';
import { type ColumnsOf, described, type Field, type FieldTable, type RecordOf } from './field.ts';
import { fields, type SharedRecord } from './fields.ts';
import type { RecordKind, ShortLinkRow } from './model.ts';
import { NO_COUNTERS, type RecordContext } from './record-context.ts';

/** Builds a record from a row by the table of its fields. */
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

/** A field that records show. */
type ShownField = Required<Pick<Field, 'column'>> & Pick<Field, 'read'> & { name: string };
const shown = new WeakMap<FieldTable, ShownField[]>();

function shownIn(table: FieldTable): ShownField[] {
  let columns = shown.get(table);
  if (columns === undefined) {
    columns = Object.entries(table).flatMap(([name, { column = '', out, read }]) =>
      out === undefined ? [] : [{ name, column, ...(read === undefined ? {} : { read }) }],
    );
    shown.set(table, columns);
  }
  return columns;
}

/** Builds the shared part of a record; the password is still sealed. */
export function toSharedRecord(
  row: ShortLinkRow,
  { domain, tags, counters = NO_COUNTERS }: RecordContext,
): SealedRecord {
  const password = row.password === null ? null : { sealed: row.password };
  return Object.assign(recordOf(fields, row, { domain, tags, counters }), { password });
}

/** The shared fields of a record in jobs and their results. */
type SealedRecord = Omit<SharedRecord, 'password'> & { password: Sealed | null };

/** Opens the sealed password of a record, for its owner. */
export function openPassword(record: object): object {
  const { projectId, password } = record as Pick<SealedRecord, 'projectId' | 'password'>;
  // Rows from a stored event belong to no workspace and have no password.
  if (password === null || password === undefined) return record;
  return { ...record, password: openSealed(projectId, 'password', password) };
}

/** Hides the password of a record from callers who cannot write it. */
export const hidePassword = <Item extends object>(record: Item): Item & { password: null } => ({
  ...record,
  password: null,
});

/** One place of a bulk answer: the record, or the error together with the sealed input. */
export type BulkItem<Sealed> = Sealed | (ErrorBody & { [noun: string]: unknown });

/** The schemas of a record's members. */
export function recordSchemas(table: FieldTable): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(table).flatMap(([name, field]) => described(name, field, 'out')),
  );
}

/** Schemas of the shared members of records, for the reference and for checking answers. */
export const sharedRecordFields = recordSchemas(fields);

/** Schema of an array of records and errors, in the order of the request. */
export const bulkAnswerOf = (record: Schema, noun: string) =>
  Joi.array().items(
    Joi.alternatives(
      record,
      Joi.object({
        error: Joi.object({
          code: requiredText.description('Name of the error.'),
          message: requiredText.description('Explanation for a person.'),
          doc_url: Joi.string().description('URL of the explanation of the error.'),
        })
          .required()
          .description('Error that refused it.'),
        [noun]: Joi.any().description('Input, as sent.'),
      }).meta({ name: noun === 'link' ? 'BulkLinkError' : 'BulkQrCodeError' }),
    ).meta({ name: noun === 'link' ? 'BulkLinkResult' : 'BulkQrCodeResult' }),
  );

/** Schema of a count: a number, or one number for each group. */
export const countAnswer = Joi.alternatives(
  Joi.number().integer(),
  Joi.array().items(
    Joi.object({
      domain: Joi.string().description('Domain; with `groupBy=domain`.').example('go.example.com'),
      tagId: Joi.string().description('Id of the tag; with `groupBy=tag`.'),
      folderId: Joi.string().description('Id of the folder; with `groupBy=folder`.'),
      _count: requiredCount.description('Number of records.'),
    }).meta({ name: 'GroupCount' }),
  ),
)
  .description('A number; with `groupBy`, one for each domain, tag or folder.')
  .meta({ name: 'Count' });

/** Columns of the CSV export, with their places. */
export function csvColumns(table: FieldTable): Record<string, number> {
  return Object.fromEntries(
    Object.entries(table).flatMap(([name, { csv }]) => (csv === undefined ? [] : [[name, csv]])),
  );
}

/**
 * True for a caller who can read the passwords of links or QR codes: a caller who can write them.
 */
export const canReadPasswords = ({ scopes }: Pick<Caller, 'scopes'>, kind: RecordKind): boolean =>
  includesScope(scopes, `${kind}s.write`);

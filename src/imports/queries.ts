import { Refusal } from '../errors.ts';
import { found } from '../http/answer.ts';
import { BOM, csvLines } from '../infra/csv.ts';
import { db } from '../infra/db.ts';
import type { Caller } from '../workspaces/api-keys.ts';
import { includesScope } from '../workspaces/scopes.ts';
import { openPreview, type Preview } from './check-slice.ts';
import { uniqueNames } from './file.ts';
import { fieldsOf } from './mapping.ts';
import { type Fault, Import } from './model.ts';
import { type ImportRecord, toImport } from './record.ts';
import type { ImportListQuery } from './schema.ts';
import { openOfImport } from './sealing.ts';

/** Errors that the record of an import has. */
const SHOWN_ERRORS = 100;
/** Rows of errors that are read at a time. */
const PAGE = 500;

/** The parts of a caller that decide what is shown. */
type Reader = Pick<Caller, 'projectId' | 'scopes'>;

interface ErrorRow {
  row: number;
  faults: Fault[];
  /** Sealed JSON. */
  cells: string;
}

/** The imports of a workspace, newest first. */
export async function listImports(
  projectId: string,
  { page, pageSize }: ImportListQuery,
): Promise<ImportRecord[]> {
  const rows = await Import.of(projectId)
    .orderBy('id', 'desc')
    .offset((page - 1) * pageSize)
    .limit(pageSize);
  return rows.map(toImport);
}

/** An import with its preview and first errors. @throws Refusal `not_found` */
export async function readImport({ projectId, scopes }: Reader, id: string) {
  const one = await findImport(projectId, id);
  const errors = await errorRows(projectId, id, 0, SHOWN_ERRORS);
  return {
    ...toImport(one),
    preview:
      one.preview === null ? null : shownTo(scopes, one, openPreview(projectId, one.preview)),
    errors: errors
      .flatMap(({ row, faults }) => faults.map((fault) => ({ row, ...fault })))
      .slice(0, SHOWN_ERRORS),
  };
}

async function findImport(projectId: string, id: string): Promise<Import> {
  return found(await Import.of(projectId).where({ id }).first(), `import "${id}"`);
}

async function errorRows(
  projectId: string,
  importId: string,
  after: number,
  limit: number,
): Promise<ErrorRow[]> {
  return (await db()('import_errors')
    .where({ project_id: projectId, import_id: importId })
    .andWhere('row', '>', after)
    .orderBy('row')
    .limit(limit)
    .select('row', 'faults', 'cells')) as ErrorRow[];
}

/**
 * The errors of an import as CSV, in parts: row, column, message, and the cells of the row as they were.
 *
 * @throws Refusal `not_found`, or `invite_expired` when they have been deleted
 */
export async function errorsFile(
  { projectId, scopes }: Reader,
  id: string,
): Promise<AsyncGenerator<string, void, undefined>> {
  const one = await findImport(projectId, id);
  if (!one.has_file) throw new Refusal('invite_expired', 'The errors of the import have expired');
  return errorParts(one, mayImport(scopes));
}

async function* errorParts(
  one: Import,
  showsPasswords: boolean,
): AsyncGenerator<string, void, undefined> {
  const { project_id, id } = one;
  const { columns } = one.file;
  const hide = showsPasswords ? (cells: string[]) => cells : hiderOf(one);
  yield BOM + csvLines([uniqueNames(['row', 'column', 'message', ...columns])]);
  for (let after = 0; ; ) {
    const rows = await errorRows(project_id, id, after, PAGE);
    yield rows
      .map(({ row, faults, cells }) => {
        const original = hide(JSON.parse(openOfImport(project_id, cells)) as string[]);
        return csvLines(
          faults.map(({ column, message }) => [String(row), column ?? '', message, ...original]),
        );
      })
      .join('');
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = last.row;
  }
}

/** True for a caller who may import, and so read the passwords of a file. */
const mayImport = (scopes: readonly string[]): boolean => includesScope(scopes, 'imports.write');

/**
 * Hides what may be a password in the cells of a row: the column that is one, and records of a workspace whole, which are
 * JSON that may be cut off.
 */
function hiderOf(one: Import): (cells: string[]) => string[] {
  const hidden = one.file.archive === undefined ? fieldsOf(one) : [null, 'password'];
  return (cells) => cells.map((cell, at) => (hidden[at] === 'password' ? '' : cell));
}

/** The preview of an import as a caller may read it. That of a file has no passwords. */
function shownTo(scopes: readonly string[], one: Import, preview: Preview): Preview {
  if (one.file.archive === undefined || mayImport(scopes)) return preview;
  const rows = preview.rows.map((row) => ({ ...row, cells: {} }));
  return { ...preview, rows };
}

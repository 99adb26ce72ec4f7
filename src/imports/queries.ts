import { Refusal } from '../errors.ts';
import { found } from '../http/route.ts';
import { BOM, csvLines } from '../infra/csv.ts';
import { db } from '../infra/db.ts';
import type { Slice } from '../infra/keyset.ts';
import type { Caller } from '../workspaces/api-keys.ts';
import { newestFirst, type Paging } from '../workspaces/lists.ts';
import { includesScope } from '../workspaces/scopes.ts';
import { openPreview, type Preview } from './check-slice.ts';
import { uniqueNames } from './file.ts';
import { fieldsOf } from './mapping.ts';
import { type Fault, Import } from './model.ts';
import { toImport } from './record.ts';
import { openOfImport } from './sealing.ts';

/** Maximum number of errors in the record of an import. */
const SHOWN_ERRORS = 100;
/** Number of error rows read at a time. */
const PAGE = 500;

/** The caller properties that decide what is shown. */
type Reader = Pick<Caller, 'projectId' | 'scopes'>;

interface ErrorRow {
  row: number;
  faults: Fault[];
  /** Sealed JSON of the row's cells. */
  cells: string;
}

/** Lists the imports of a workspace, newest first. */
export const listImports = (projectId: string, paging: Paging): Promise<Slice<Import>> =>
  newestFirst(Import.of(projectId), paging);

/**
 * Reads an import with its preview and first errors.
 *
 * @throws Refusal `not_found`
 */
export async function readImport({ projectId, scopes }: Reader, id: string) {
  const importRow = await findImport(projectId, id);
  const errors = await errorRows(projectId, id, 0, SHOWN_ERRORS);
  return {
    ...toImport(importRow),
    preview:
      importRow.preview === null
        ? null
        : previewFor(scopes, importRow, openPreview(projectId, importRow.preview)),
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
 * Streams the errors of an import as CSV: row, column, message, and the original cells of the row.
 *
 * @throws Refusal `not_found`, or `invite_expired` after they have been deleted
 */
export async function errorsFile(
  { projectId, scopes }: Reader,
  id: string,
): Promise<AsyncGenerator<string, void, undefined>> {
  const importRow = await findImport(projectId, id);
  if (!importRow.has_file)
    throw new Refusal('invite_expired', 'The errors of the import have expired');
  return errorParts(importRow, mayImport(scopes));
}

async function* errorParts(
  importRow: Import,
  showsPasswords: boolean,
): AsyncGenerator<string, void, undefined> {
  const { project_id, id } = importRow;
  const { columns } = importRow.file;
  const hide = showsPasswords ? (cells: string[]) => cells : maskerOf(importRow);
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

/** Returns true for a caller who may import, and therefore read the passwords of a file. */
const mayImport = (scopes: readonly string[]): boolean => includesScope(scopes, 'imports.write');

/**
 * Makes a function that hides possible passwords in the cells of a row: the password column, and
 * whole records of a workspace export, which are JSON that may be truncated.
 */
function maskerOf(importRow: Import): (cells: string[]) => string[] {
  const hidden = importRow.file.archive === undefined ? fieldsOf(importRow) : [null, 'password'];
  return (cells) => cells.map((cell, at) => (hidden[at] === 'password' ? '' : cell));
}

/** Returns the preview that a caller may read. Without the right to import, it has no passwords. */
function previewFor(scopes: readonly string[], importRow: Import, preview: Preview): Preview {
  if (importRow.file.archive === undefined || mayImport(scopes)) return preview;
  const rows = preview.rows.map((row) => ({ ...row, cells: {} }));
  return { ...preview, rows };
}

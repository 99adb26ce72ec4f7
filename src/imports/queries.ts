import { Refusal } from '../errors.ts';
import { found } from '../http/answer.ts';
import { BOM, csvLines } from '../infra/csv.ts';
import { db } from '../infra/db.ts';
import { openPreview } from './check-slice.ts';
import { uniqueNames } from './file.ts';
import { type Fault, Import } from './model.ts';
import { type ImportRecord, toImport } from './record.ts';
import type { ImportListQuery } from './schema.ts';
import { openOfImport } from './sealing.ts';

/** Errors that the record of an import has. */
const SHOWN_ERRORS = 100;
/** Rows of errors that are read at a time. */
const PAGE = 500;

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
export async function readImport(projectId: string, id: string) {
  const one = await findImport(projectId, id);
  const errors = await errorRows(projectId, id, 0, SHOWN_ERRORS);
  return {
    ...toImport(one),
    preview: one.preview === null ? null : openPreview(projectId, one.preview),
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
  projectId: string,
  id: string,
): Promise<AsyncGenerator<string, void, undefined>> {
  const one = await findImport(projectId, id);
  if (!one.has_file) throw new Refusal('invite_expired', 'The errors of the import have expired');
  return errorParts(one);
}

async function* errorParts({
  project_id,
  id,
  file,
}: Import): AsyncGenerator<string, void, undefined> {
  const { columns } = file;
  yield BOM + csvLines([uniqueNames(['row', 'column', 'message', ...columns])]);
  for (let after = 0; ; ) {
    const rows = await errorRows(project_id, id, after, PAGE);
    yield rows.map((row) => toLines(project_id, row)).join('');
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = last.row;
  }
}

function toLines(projectId: string, { row, faults, cells }: ErrorRow): string {
  const original = JSON.parse(openOfImport(projectId, cells)) as string[];
  return csvLines(
    faults.map(({ column, message }) => [String(row), column ?? '', message, ...original]),
  );
}

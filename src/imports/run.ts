import { type Db, db, execute } from '../infra/db.ts';
import { followUps } from '../jobs/follow-up.ts';
import type { Publish } from '../jobs/run-idempotent.ts';
import type { LookupChange } from '../lookup/publish.ts';
import {
  type Committed,
  publishPendingSlices,
  publishSlice,
  type SlicedTable,
} from '../lookup/publish-slices.ts';
import type { JobContext } from '../queues/definition.ts';
import { checkSlice, type RowResult } from './check-slice.ts';
import { importBulkJobs } from './jobs.ts';
import { countKeyless } from './mapping.ts';
import { type FileRow, Import, type ImportFile, OPEN } from './model.ts';
import { faultsOf } from './rows.ts';
import { sealOfImport } from './sealing.ts';
import { openRows } from './slices.ts';
import { undoSlice } from './undo-slice.ts';
import { addLeftOut } from './warnings.ts';
import { importArchiveSlice } from './workspace/import-archive-slice.ts';
import { writeSlice } from './write-slice.ts';

/*
 * A job imports one slice of one import of its workspace, and queues the job that follows:
 *
 *   begin ─ lock the import ─ slice ─ progress of the import, with the entries to publish
 *         ─ commit ─ publish, record the position ─ next job
 *
 * A job that runs twice therefore imports two slices, and never one slice twice. If a worker dies
 * after the commit, the entries are in the row of the import, and the next job publishes them. If
 * the next job is lost, `resumeImports` adds it.
 */

const IMPORTS: SlicedTable = { name: 'imports', entries: 'changes', next: 'position' };

/** Queues the next slice of the imports of a workspace, unless such a job waits already. */
export async function wakeImports(projectId: string): Promise<void> {
  await followUps().wake(
    importBulkJobs['import.run'],
    {},
    { subject: `imports ${projectId}`, projectId },
  );
}

/**
 * Imports one slice of the workspace's import that is being checked, or otherwise of the one that
 * was requested first.
 */
export async function runImport(_: object, { projectId }: JobContext): Promise<void> {
  await publishPendingSlices(IMPORTS, projectId);
  const done = await db().transaction((trx) => runSlice(trx, projectId));
  if (done === undefined) return;
  await publishSlice(IMPORTS, projectId, done);
  await wakeImports(projectId);
}

/** A finished slice. */
interface FinishedSlice extends Committed {
  changes: LookupChange[];
}

async function runSlice(trx: Db, projectId: string): Promise<FinishedSlice | undefined> {
  // Checks are quick and people wait for them; otherwise imports run one at a time, in order.
  const importRow = await Import.of(projectId, trx)
    .whereIn('state', [...OPEN])
    .orderByRaw("state <> 'checking', requested_at, id")
    .forUpdate()
    .first();
  if (importRow === undefined) return undefined;
  const changes: LookupChange[] = [];
  const publish: Publish = (more) => changes.push(...more);
  await (importRow.state === 'undoing'
    ? undo(trx, importRow, publish)
    : readSlice(trx, importRow, publish));
  // Also increased by an undo, to tell which slice's entries were published.
  const position = importRow.position + 1;
  await update(trx, importRow, {
    position,
    changes: changes.length === 0 ? null : changes.map(({ name, version }) => ({ name, version })),
  });
  return { id: importRow.id, next: position, changes };
}

const update = (trx: Db, { project_id, id }: Import, changes: Partial<Import>) =>
  Import.of(project_id, trx).where({ id }).patch(changes);

async function undo(trx: Db, importRow: Import, publish: Publish): Promise<void> {
  const { undo, isLast } = await undoSlice(trx, importRow, publish);
  await update(trx, importRow, {
    undo,
    ...(isLast ? { state: 'undone', ended_at: new Date() } : {}),
  });
}

async function readSlice(trx: Db, importRow: Import, publish: Publish): Promise<void> {
  const isCheck = importRow.state === 'checking';
  const slice = await sliceOf(trx, importRow);
  if (slice === undefined) {
    await update(trx, importRow, {
      ...(isCheck ? { state: 'checked' } : { state: 'done', token: null }),
      file: { ...importRow.file, isCounting: undefined },
      ended_at: new Date(),
    });
    return;
  }
  const { results, preview } = await doSlice(trx, importRow, slice, publish);
  await storeErrors(trx, importRow, results);
  const count = (outcome: RowResult['outcome']) =>
    results.filter((each) => each.outcome === outcome).length;
  await update(trx, importRow, {
    ...(isCheck ? {} : { state: 'running', started_at: importRow.started_at ?? new Date() }),
    preview,
    file: fileAfter(importRow, slice, results),
    done: importRow.done + slice.length,
    created: importRow.created + count('created'),
    updated: importRow.updated + count('updated'),
    skipped: importRow.skipped + count('skipped'),
    refused: importRow.refused + count('refused'),
    renamed: importRow.renamed + results.filter(isRenamed).length,
  });
}

/** Returns the properties of the file with what a slice has shown. */
function fileAfter(
  importRow: Import,
  slice: readonly FileRow[],
  results: readonly RowResult[],
): ImportFile {
  const { file } = importRow;
  const { keyless = 0, isCounting } = file;
  let { leftOut = [] } = file;
  for (const { row, outcome } of results) {
    const isWritten = outcome === 'created' || outcome === 'updated';
    if (isWritten && 'link' in row) leftOut = addLeftOut(leftOut, row.row, row.leftOut);
  }
  const counted = isCounting === true ? countKeyless(importRow, slice) : 0;
  return { ...file, leftOut, keyless: keyless + counted };
}

async function doSlice(trx: Db, importRow: Import, slice: readonly FileRow[], publish: Publish) {
  if (importRow.file.archive !== undefined) {
    return importArchiveSlice(trx, importRow, slice, publish);
  }
  if (importRow.state === 'checking') return checkSlice(trx, importRow, slice);
  const results = await writeSlice(trx, importRow, slice, publish);
  return { results, preview: importRow.preview };
}

/**
 * Returns true for a row that creates or changes a link with another short link than the row names.
 */
const isRenamed = ({ row, outcome }: RowResult): boolean =>
  (outcome === 'created' || outcome === 'updated') && 'isRenamed' in row && row.isRenamed;

async function sliceOf(
  trx: Db,
  { project_id, id, position }: Import,
): Promise<FileRow[] | undefined> {
  const slice = (await trx('import_slices')
    .where({ project_id, import_id: id, position })
    .first('rows')) as { rows: string } | undefined;
  return slice === undefined ? undefined : openRows(project_id, slice.rows);
}

async function storeErrors(
  trx: Db,
  importRow: Import,
  results: readonly RowResult[],
): Promise<void> {
  const errors = results.flatMap((each) => {
    if (each.outcome !== 'refused') return [];
    const { row, cells } = each.row;
    const sealed = sealOfImport(importRow.project_id, JSON.stringify(cells));
    return [{ row, faults: faultsOf(importRow, each.refusal), cells: sealed }];
  });
  if (errors.length === 0) return;
  await execute(
    trx,
    `INSERT INTO import_errors (project_id, import_id, row, faults, cells)
     SELECT ?, ?, row, faults, cells FROM json_to_recordset(?) AS e (row integer, faults jsonb, cells text)`,
    [importRow.project_id, importRow.id, JSON.stringify(errors)],
  );
}

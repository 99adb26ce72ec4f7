import { type Db, db, execute } from '../infra/db.ts';
import { cacheRedis } from '../infra/redis.ts';
import { followUps } from '../jobs/follow-up.ts';
import type { Publish } from '../jobs/run-idempotent.ts';
import { type LookupChange, publishCommitted, publishPresent } from '../lookup/publish.ts';
import type { JobContext } from '../queues/definition.ts';
import { checkSlice, type Judged } from './check-slice.ts';
import { importBulkJobs } from './jobs.ts';
import { type FileRow, Import, OPEN } from './model.ts';
import { faultsOf } from './rows.ts';
import { sealOfImport } from './sealing.ts';
import { openRows } from './slices.ts';
import { undoSlice } from './undo-slice.ts';
import { takeSlice } from './workspace/take-slice.ts';
import { writeSlice } from './write-slice.ts';

/*
 * A job does one slice of one import of its workspace, and has another job follow it:
 *
 *   begin ─ lock the import ─ slice ─ progress of the import, with the entries to publish ─ commit ─ publish ─ next job
 *
 * So a job that runs twice does two slices, and never one of them twice. A worker that died after the commit left the
 * entries in the row of the import: the next job publishes them. Where the next job is lost, `resumeImports` adds it.
 */

/** Queues the next slice of the imports of a workspace, unless such a job waits already. */
export async function wakeImports(projectId: string): Promise<void> {
  await followUps().wake(
    importBulkJobs['import.run'],
    {},
    { subject: `imports ${projectId}`, projectId },
  );
}

/** Imports one slice: of the workspace's import that is checked, or else was requested first. */
export async function runImport(_: object, { projectId }: JobContext): Promise<void> {
  await publishLeft(projectId);
  const done = await db().transaction((trx) => runSlice(trx, projectId));
  if (done === undefined) return;
  await publishCommitted(cacheRedis(), done.changes);
  await forgetChanges(projectId, done);
  await wakeImports(projectId);
}

/** Publishes what a worker has committed that died before it had published it. */
async function publishLeft(projectId: string): Promise<void> {
  const left = await Import.of(projectId)
    .whereNotNull('changes')
    .select('id', 'position', 'changes');
  for (const one of left) {
    await publishPresent(cacheRedis(), one.changes ?? []);
    await forgetChanges(projectId, one);
  }
}

/** Forgets the entries of a slice, unless those of a later one have replaced them. */
async function forgetChanges(
  projectId: string,
  { id, position }: Pick<Import, 'id' | 'position'>,
): Promise<void> {
  await execute(
    db(),
    'UPDATE imports SET changes = NULL WHERE project_id = ? AND id = ? AND position = ?',
    [projectId, id, position],
  );
}

/** A slice that was done: the import, and the slice that comes next. */
interface Done extends Pick<Import, 'id' | 'position'> {
  changes: LookupChange[];
}

async function runSlice(trx: Db, projectId: string): Promise<Done | undefined> {
  // Checks are quick and people wait for them; else one import at a time, in their order.
  const one = await Import.of(projectId, trx)
    .whereIn('state', [...OPEN])
    .orderByRaw("state <> 'checking', requested_at, id")
    .forUpdate()
    .first();
  if (one === undefined) return undefined;
  const changes: LookupChange[] = [];
  const publish: Publish = (more) => changes.push(...more);
  await (one.state === 'undoing' ? undo(trx, one, publish) : readSlice(trx, one, publish));
  // Of an undo too: so that it is known whose entries are published.
  const position = one.position + 1;
  await update(trx, one, {
    position,
    changes: changes.length === 0 ? null : changes.map(({ name, version }) => ({ name, version })),
  });
  return { id: one.id, position, changes };
}

const update = (trx: Db, { project_id, id }: Import, changes: Partial<Import>) =>
  Import.of(project_id, trx).where({ id }).patch(changes);

async function undo(trx: Db, one: Import, publish: Publish): Promise<void> {
  const { undo, isLast } = await undoSlice(trx, one, publish);
  await update(trx, one, {
    undo,
    ...(isLast ? { state: 'undone', ended_at: new Date() } : {}),
  });
}

async function readSlice(trx: Db, one: Import, publish: Publish): Promise<void> {
  const isCheck = one.state === 'checking';
  const slice = await sliceOf(trx, one);
  if (slice === undefined) {
    await update(trx, one, {
      ...(isCheck ? { state: 'checked' } : { state: 'done', token: null }),
      ended_at: new Date(),
    });
    return;
  }
  const { judged, preview } = await doSlice(trx, one, slice, publish);
  await noteErrors(trx, one, judged);
  const count = (outcome: Judged['outcome']) =>
    judged.filter((each) => each.outcome === outcome).length;
  await update(trx, one, {
    ...(isCheck ? {} : { state: 'running', started_at: one.started_at ?? new Date() }),
    preview,
    done: one.done + slice.length,
    created: one.created + count('created'),
    updated: one.updated + count('updated'),
    skipped: one.skipped + count('skipped'),
    refused: one.refused + count('refused'),
    renamed: one.renamed + judged.filter(isRenamed).length,
  });
}

async function doSlice(trx: Db, one: Import, slice: readonly FileRow[], publish: Publish) {
  if (one.file.archive !== undefined) return takeSlice(trx, one, slice, publish);
  if (one.state === 'checking') return checkSlice(trx, one, slice);
  return { judged: await writeSlice(trx, one, slice, publish), preview: one.preview };
}

/** True for a row that becomes or changes a link, and names another short link than it gets. */
const isRenamed = ({ row, outcome }: Judged): boolean =>
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

async function noteErrors(trx: Db, one: Import, judged: readonly Judged[]): Promise<void> {
  const errors = judged.flatMap((each) => {
    if (each.outcome !== 'refused') return [];
    const { row, cells } = each.row;
    const sealed = sealOfImport(one.project_id, JSON.stringify(cells));
    return [{ row, faults: faultsOf(one, each.refusal), cells: sealed }];
  });
  if (errors.length === 0) return;
  await execute(
    trx,
    `INSERT INTO import_errors (project_id, import_id, row, faults, cells)
     SELECT ?, ?, row, faults, cells FROM json_to_recordset(?) AS e (row integer, faults jsonb, cells text)`,
    [one.project_id, one.id, JSON.stringify(errors)],
  );
}

import { type Db, db, execute, isLockTimeout } from '../../infra/db.ts';
import { drawInBackground } from '../../qrcodes/picture-pool.ts';
import type { drawPicture } from '../../qrcodes/render/picture.ts';
import { type JobContext, Postponed } from '../../queues/definition.ts';
import { handlers, type JobHandler } from '../../queues/job.ts';
import { KEEP_MS } from '../address.ts';
import { exportDrawingJobs } from '../jobs.ts';
import { exportSpace } from '../space.ts';
import { wakeExport } from './create.ts';
import { OPEN, PictureExport } from './model.ts';
import { dropParts, type Item, type Part } from './part.ts';
import { PictureSource } from './picture-source.ts';
import { drawSheet, sheetEnd, TooLarge } from './sheet-part.ts';
import { drawZip, zipFileEnd } from './zip-part.ts';

/*
 * A job draws the next codes of an export, and queues the job that follows:
 *
 *   read the export ─ draw ─ begin ─ lock the export ─ store the part and the progress ─ commit
 *     ─ next job
 *
 * If a worker dies, only its part is drawn again. A job that finds another progress than it has
 * read stores nothing, so no code is in the file twice. If the next job is lost, `resumeExports`
 * adds it.
 */

/** Maximum size of a file in bytes, since it is stored in the database. */
const MAX_BYTES = 1 << 30;

/**
 * Attempts without progress after which an export fails: 3 per job, and `resumeExports` adds a job
 * a minute, so that an outage of some minutes ends none.
 */
const MAX_FAULTS = 30;
const FAULTS = 'The images could not be drawn because of a fault of the service; try again later';

/** Draws the next codes of an export. */
async function drawNext(
  id: string,
  { projectId, log }: JobContext,
  draw: typeof drawPicture,
): Promise<void> {
  const row = await PictureExport.of(projectId).where({ id }).whereIn('state', OPEN).first();
  if (row === undefined) return;
  const source = new PictureSource(row, draw, log);
  try {
    const part = row.format === 'pdf' ? await drawSheet(row, source) : await drawZip(row, source);
    const next = await db().transaction((trx) => store(trx, row, part));
    if (next !== undefined) await wakeExport(projectId, next);
  } catch (error) {
    if (error instanceof TooLarge) {
      await db().transaction((trx) => fail(trx, row, error.message));
    } else {
      const isTriedAgain = error instanceof Postponed || isLockTimeout(error);
      if (!isTriedAgain) {
        // While the database is down, only the first error says why.
        await countFault(row).catch((err: unknown) => log.warn({ err }, 'a fault was not counted'));
      }
      throw error;
    }
  }
}

/** Counts an attempt that failed, and ends the export after too many without progress. */
async function countFault({ project_id, id }: PictureExport): Promise<void> {
  await db().transaction(async (trx) => {
    const rowOf = () => PictureExport.of(project_id, trx).where({ id });
    await rowOf().increment('faults', 1);
    const row = await rowOf().where('faults', '>=', MAX_FAULTS).first();
    if (row !== undefined) await fail(trx, row, FAULTS);
  });
}

/** Ends an export without a file. */
async function fail(trx: Db, { project_id, id }: PictureExport, failure: string): Promise<void> {
  const open = PictureExport.of(project_id, trx).where({ id }).whereIn('state', OPEN);
  const failed = await open.patch({ state: 'failed', failure, bytes: 0 });
  if (failed > 0) await dropParts(trx, id);
}

/**
 * Stores a part, and the end of the file after the last one.
 *
 * @returns the export if more is to be drawn
 */
async function store(
  trx: Db,
  { project_id, id, done }: PictureExport,
  part: Part,
): Promise<PictureExport | undefined> {
  const rowsOf = () => PictureExport.of(project_id, trx).where({ id });
  const row = await rowsOf().whereIn('state', OPEN).where({ done }).forNoKeyUpdate().first();
  if (row === undefined) return undefined;
  const { bytes } = row;
  await storeErrors(trx, id, part.items);
  await addPart(trx, row, part);
  row.done += part.items.length;
  row.failed += part.items.filter(({ error }) => error !== null).length;
  const isLast = row.done === row.total;
  if (isLast)
    await addPart(trx, row, await (row.format === 'pdf' ? sheetEnd : zipFileEnd)(trx, row));
  const failure = await spaceFault(trx, row, bytes);
  if (failure !== undefined) {
    await fail(trx, row, failure);
    return undefined;
  }
  const progress = { done: row.done, failed: row.failed, bytes: row.bytes, faults: 0 };
  await rowsOf().patch(
    isLast
      ? { ...progress, state: 'done', expires_at: new Date(Date.now() + KEEP_MS) }
      : { ...progress, state: 'running' },
  );
  return isLast ? undefined : row;
}

/**
 * Reason why a file must not become larger; `undefined` if it may.
 *
 * @param before its stored size in bytes
 */
async function spaceFault(
  trx: Db,
  { project_id, bytes }: PictureExport,
  before: number,
): Promise<string | undefined> {
  if (bytes > MAX_BYTES) {
    return `The file would exceed ${MAX_BYTES >> 20} MiB: export fewer codes, or smaller images`;
  }
  const space = await exportSpace(trx, project_id);
  return bytes - before > space.bytes ? space.message : undefined;
}

/** Adds a part to the file, whose size grows in the row. */
async function addPart(
  trx: Db,
  row: PictureExport,
  { bytes, directory }: Pick<Part, 'bytes' | 'directory'>,
): Promise<void> {
  const content = Buffer.concat(bytes);
  await execute(
    trx,
    `INSERT INTO export_parts (export_id, position, bytes, directory)
     SELECT :id, coalesce(max(position) + 1, 0), :content, :directory FROM export_parts WHERE export_id = :id`,
    { id: row.id, content, directory: Buffer.concat(directory) },
  );
  row.bytes += content.length;
}

async function storeErrors(trx: Db, id: string, items: readonly Item[]): Promise<void> {
  const failed = items.flatMap(({ position, error }) =>
    error === null ? [] : [{ position, error }],
  );
  if (failed.length === 0) return;
  await execute(
    trx,
    `UPDATE export_items SET error = failed.error
       FROM json_to_recordset(?) AS failed (position integer, error text)
      WHERE export_items.export_id = ? AND export_items.position = failed.position`,
    [JSON.stringify(failed), id],
  );
}

/** Returns the handlers that draw exports. */
export function drawingHandlers(): JobHandler[] {
  const draw = drawInBackground();
  return handlers(exportDrawingJobs, { 'export.draw': ({ id }, job) => drawNext(id, job, draw) });
}

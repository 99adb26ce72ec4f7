import { Refusal } from '../../errors.ts';
import { type Db, db, execute } from '../../infra/db.ts';
import { currentLimits, withinLimits } from '../../infra/limits.ts';
import { followUps } from '../../jobs/follow-up.ts';
import { runIdempotent } from '../../jobs/run-idempotent.ts';
import type { LinkFilters } from '../../links/filters.ts';
import { linkQueries } from '../../links/queries.ts';
import { qrCodeQueries } from '../../qrcodes/queries.ts';
import { fileNamer } from '../../qrcodes/render/file-name.ts';
import type { JobContext } from '../../queues/definition.ts';
import type { RecordKind } from '../../short-links/model.ts';
import type { RecordNames } from '../../short-links/rows.ts';
import { KEEP_MS } from '../address.ts';
import { exportDrawingJobs, type NewPictureExport } from '../jobs.ts';
import { refuseWithoutSpace } from '../space.ts';
import { captionFont } from './caption-font.ts';
import { OPEN, PictureExport } from './model.ts';
import { type ExportRecord, toExport } from './record.ts';

/** Maximum number of codes in an export. */
export const MAX_CODES = 50_000;
/** Maximum number of unfinished exports per workspace. */
const MAX_UNFINISHED = 5;

/**
 * Creates an export of images, which other jobs draw. The selected codes and the names of their
 * files are those of this moment.
 *
 * @throws Refusal `unprocessable_entity` for a wrong selection, `conflict` if too many exports of
 *   the workspace are unfinished, `forbidden` if it has no space for exports
 */
export async function createPictureExport(
  { id, options, selection, kind = 'qrcode' }: NewPictureExport,
  job: JobContext,
): Promise<ExportRecord> {
  const { projectId } = job;
  const record = await runIdempotent(job, async (trx) => {
    await refuseTooManyUnfinished(projectId, trx);
    await refuseWithoutSpace(trx, projectId);
    const { family } = await captionFont(trx, projectId, options.sheet, false);
    const records =
      kind === 'link'
        ? await linkQueries.listNames(projectId, selection as LinkFilters, MAX_CODES + 1)
        : await qrCodeQueries.listNames(projectId, selection, MAX_CODES + 1);
    const ordered = Array.isArray(selection)
      ? orderedBy(kind, selection, records)
      : refuseWrongNumber(kind, records);
    const row: Partial<PictureExport> = {
      id,
      name: 'qr-codes',
      format: options.format === 'sheet' ? 'pdf' : 'zip',
      state: 'queued',
      // Another font can take the name while the sheets are drawn.
      options: { ...options, sheet: { ...options.sheet, captionFont: family } },
      total: ordered.length,
      expires_at: new Date(Date.now() + KEEP_MS),
      limits: currentLimits() ?? null,
    };
    const added = await PictureExport.add(projectId, row, trx);
    await addItems(trx, id, ordered, fileNamer(options.fileNames));
    return toExport(added);
  });
  await wakeExport(projectId, { id, done: 0 });
  return record;
}

async function refuseTooManyUnfinished(projectId: string, trx: Db): Promise<void> {
  // Those of all callers count.
  const all = withinLimits(undefined, () => PictureExport.of(projectId, trx));
  const unfinished = await all.whereIn('state', OPEN).resultSize();
  if (unfinished < MAX_UNFINISHED) return;
  throw new Refusal(
    'conflict',
    `The workspace must not have more than ${MAX_UNFINISHED} unfinished exports of QR codes; wait or cancel some`,
  );
}

/** Names of the fields that select records, and of the records, for messages. */
const WORDS = {
  link: { ids: 'linkIds', filter: 'linkFilter', noun: 'link' },
  qrcode: { ids: 'qrcodeIds', filter: 'filter', noun: 'QR code' },
} as const;

/** Sorts records like their ids. @throws Refusal naming an id without a record */
function orderedBy(
  kind: RecordKind,
  ids: readonly string[],
  records: readonly RecordNames[],
): RecordNames[] {
  const byId = new Map(records.map((record) => [record.id, record]));
  const words = WORDS[kind];
  return ids.map((id) => {
    const record = byId.get(id);
    if (record !== undefined) return record;
    throw new Refusal(
      'unprocessable_entity',
      `${words.ids} must be ids of ${words.noun}s: not "${id}"`,
    );
  });
}

function refuseWrongNumber(kind: RecordKind, records: RecordNames[]): RecordNames[] {
  if (records.length > 0 && records.length <= MAX_CODES) return records;
  const { filter, noun } = WORDS[kind];
  throw new Refusal(
    'unprocessable_entity',
    records.length === 0
      ? `${filter} must match at least one ${noun}`
      : `${filter} must match at most ${MAX_CODES} ${noun}s`,
  );
}

async function addItems(
  trx: Db,
  id: string,
  codes: readonly RecordNames[],
  nameOf: (code: RecordNames) => string,
): Promise<void> {
  await execute(
    trx,
    `INSERT INTO export_items (export_id, position, record_id, name)
     SELECT ?, item.position - 1, item.record_id, item.name
       FROM unnest(?::text[], ?::text[]) WITH ORDINALITY AS item (record_id, name, position)`,
    [id, codes.map((code) => code.id), codes.map(nameOf)],
  );
}

/**
 * Queues the next images of an export, unless such a job waits already. Single images that people
 * wait for go first.
 */
export async function wakeExport(
  projectId: string,
  { id, done }: Pick<PictureExport, 'id' | 'done'>,
): Promise<void> {
  const options = { jobId: `${id}-${done}`, projectId, isLowPriority: true };
  await followUps().add(exportDrawingJobs['export.draw'], { id }, options);
}

/** Queues the next images of exports whose job was lost. */
export async function resumeExports(): Promise<void> {
  const open = (await db()('exports')
    .whereIn('state', OPEN)
    .select('project_id', 'id', 'done')) as Pick<PictureExport, 'project_id' | 'id' | 'done'>[];
  for (const row of open) await wakeExport(row.project_id, row);
}

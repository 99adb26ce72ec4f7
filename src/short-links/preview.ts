import type { Db } from '../infra/db.ts';
import { followUps } from '../jobs/follow-up.ts';
import { type Publish, runIdempotent } from '../jobs/run-idempotent.ts';
import type { JobContext } from '../queues/definition.ts';
import { type Author, PREVIEWED } from './history.ts';
import type { FoundPreview, Preview } from './jobs.ts';
import { destinationJobs } from './jobs.ts';
import type { RecordKind, ShortLinkRow } from './model.ts';

/*
 * A link or QR code with `proxy` shows link-preview crawlers a card. If its owner gave it no title,
 * the card is made of the metatags of the destination:
 *
 *   the write commits ─▶ metatags: record.preview reads the page
 *     ─▶ writes: link.fill or qrcode.fill ─▶ look-up entry
 *
 * The page is requested after the commit, and no request waits for it: a crash in between loses at
 * worst the preview, never the record. A page that cannot be read changes nothing.
 */

/**
 * Queues the preview of a record with `proxy`, if its card needs one. Called after the write has
 * committed.
 */
export async function requestPreview(
  { jobId, projectId, log }: JobContext,
  of: RecordKind,
  record: { id: string; url?: unknown; title: string | null },
): Promise<void> {
  const { id, url, title } = record;
  if (title !== null || typeof url !== 'string' || !/^https?:/i.test(url)) return;
  try {
    const options = { jobId: `preview-${jobId}`, projectId, isLowPriority: true };
    await followUps().add(destinationJobs['record.preview'], { of, id, url }, options);
  } catch (err) {
    // The record is stored by now, so its request must not fail.
    log.warn({ err, recordId: id }, 'a preview could not be requested');
  }
}

/**
 * Fills the card of a link or QR code with the preview of its destination.
 *
 * @param change changes the locked row
 * @throws Refusal `not_found`
 */
export function fillPreview<Row extends CardRow>(
  records: { lock(trx: Db, job: JobContext, id: string): Promise<Row> },
  job: JobContext,
  preview: FoundPreview,
  change: (
    trx: Db,
    row: Row,
    missing: Partial<Preview>,
    publish: Publish,
    author: Author,
  ) => Promise<unknown>,
): Promise<{ id: string }> {
  const { id } = preview;
  return runIdempotent(job, async (trx, publish) => {
    const row = await records.lock(trx, job, id);
    const missing = previewChanges(row, preview);
    if (missing !== undefined) await change(trx, row, missing, publish, PREVIEWED);
    return { id };
  });
}

type CardRow = Pick<ShortLinkRow, 'proxy' | keyof Preview> & { url: string | null };

const FIELDS = ['title', 'description', 'image'] as const;

/**
 * Returns the card fields that are still null, if the record still has `proxy` and the same
 * destination.
 *
 * @returns `undefined` if nothing changes
 */
function previewChanges(
  row: CardRow,
  { url, preview }: FoundPreview,
): Partial<Preview> | undefined {
  const missing = FIELDS.filter((field) => row[field] === null && preview[field] !== null);
  if (!row.proxy || row.url !== url || missing.length === 0) return undefined;
  return Object.fromEntries(missing.map((field) => [field, preview[field]]));
}

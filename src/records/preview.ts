import type { Db } from '../infra/db.ts';
import { followUps } from '../jobs/follow-up.ts';
import type { Effects } from '../jobs/once.ts';
import type { Preview } from '../metatags/record.ts';
import { metatags } from '../queues/metatags.ts';
import type { JobContext } from '../queues/queue.ts';
import { lockRow } from './commands.ts';
import type { RecordKind } from './kind.ts';
import type { RoutedRow } from './model.ts';

/*
 * A record with `proxy` shows link-preview crawlers a card. Where its owner gave it no title, the card is made of what
 * the destination says:
 *
 *   the write commits ─▶ metatags: record.preview reads the page ─▶ writes: link.fill or qrcode.fill ─▶ look-up entry
 *
 * The page is asked for after the commit, and nobody waits for it: a crash in between loses the preview at worst, never
 * the record. A page that can't be read changes nothing.
 */

/** The records that have previews, as the jobs that fill them are called. */
export type Previewed = 'link' | 'qrcode';

/** What was found for which record. */
export interface FoundPreview {
  id: string;
  /** The destination that the page was read at. */
  url: string;
  preview: Preview;
}

/** Has the destination of a record read where its card needs that. To be called when its write has committed. */
export async function askForPreview(
  { jobId, projectId, log }: JobContext,
  of: Previewed,
  record: { id: string; url?: unknown; proxy: boolean; title: string | null },
): Promise<void> {
  const { id, url, proxy, title } = record;
  if (!proxy || title !== null || typeof url !== 'string' || !/^https?:/i.test(url)) return;
  try {
    const options = { jobId: `preview-${jobId}`, projectId, isLowPriority: true };
    await followUps().add(metatags, 'record.preview', { of, id, url }, options);
  } catch (err) {
    // The record is made: its caller must hear so.
    log.warn({ err, recordId: id }, 'no preview could be asked for');
  }
}

const FIELDS = ['title', 'description', 'image'] as const;

/**
 * Gives a record what was found for its card: the fields that are still null, while it still has `proxy` and leads to
 * the same destination.
 *
 * @param change makes a change to a record of the kind
 * @throws Refusal `not_found`
 */
export async function fillPreview<Row extends RoutedRow & { url: string | null }>(
  kind: Pick<RecordKind<Row, never, unknown>, 'rows' | 'noun'>,
  trx: Db,
  projectId: string,
  { id, url, preview }: FoundPreview,
  change: (changes: Partial<Preview>) => Promise<Effects<unknown>>,
): Promise<Effects<{ id: string }>> {
  const row = await lockRow(kind, trx, projectId, id);
  const missing = FIELDS.filter((field) => row[field] === null && preview[field] !== null);
  if (!row.proxy || row.url !== url || missing.length === 0) {
    return { result: { id }, changes: [] };
  }
  const { changes } = await change(
    Object.fromEntries(missing.map((field) => [field, preview[field]])),
  );
  return { result: { id }, changes };
}

import { maintenance, metatags, writes } from '../queues/index.ts';
import { HOUR_MS, job, jobsOf, scheduled } from '../queues/job.ts';
import type { RecordKind } from './model.ts';

/** A preview that was read for a record. */
export interface FoundPreview {
  id: string;
  /** The destination that the page was read at. */
  url: string;
  preview: Preview;
}

/** The texts and the image of a card; `null` where the page has none. */
export interface Preview {
  title: string | null;
  description: string | null;
  image: string | null;
}

export const linkPreviewJobs = jobsOf(writes, {
  /** Stores the preview that was read for a link. */
  'link.fill': job<FoundPreview, { id: string }>(),
});

export const qrCodePreviewJobs = jobsOf(writes, {
  /** Stores the preview that was read for a QR code. */
  'qrcode.fill': job<FoundPreview, { id: string }>(),
});

export const destinationJobs = jobsOf(metatags, {
  /** Finds the URLs that may be shown in a frame of the service. */
  'pages.framing': job<{ urls: string[] }, string[]>(),
  /** Reads the destination of a record, for the card that link previews show. */
  'record.preview': job<{ of: RecordKind; id: string; url: string }>(),
});

export const keptNameJobs = jobsOf(maintenance, {
  /** Frees names that links and QR codes have left. */
  'names.prune': scheduled({ everyMs: HOUR_MS }),
});

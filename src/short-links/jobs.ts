import { images, maintenance, metatags, writes } from '../queues/index.ts';
import { HOUR_MS, job, jobsOf, scheduled } from '../queues/job.ts';
import type { RecordKind } from './model.ts';

/** A preview that was read for a record's destination. */
export interface FoundPreview {
  id: string;
  /** Destination from which the preview was read. */
  url: string;
  preview: Preview;
}

/** The texts and the image of a link-preview card; `null` for what the page lacks. */
export interface Preview {
  title: string | null;
  description: string | null;
  image: string | null;
}

export const linkPreviewJobs = jobsOf(writes, {
  /** Stores the preview of a link. */
  'link.fill': job<FoundPreview, { id: string }>(),
});

export const qrCodePreviewJobs = jobsOf(writes, {
  /** Stores the preview of a QR code. */
  'qrcode.fill': job<FoundPreview, { id: string }>(),
});

export const destinationJobs = jobsOf(metatags, {
  /** Finds the URLs that may be shown in a frame of the service. */
  'pages.framing': job<{ urls: string[] }, string[]>(),
  /** Reads the destination of a record for its link-preview card. */
  'record.preview': job<{ of: RecordKind; id: string; url: string }>(),
});

export const iconJobs = jobsOf(images, {
  /** Reads the icon of a site, by its scheme, host and port. */
  'icon.read': job<{ origin: string }>(),
});

export const historyJobs = jobsOf(maintenance, {
  /** Deletes entries of histories that are older than their retention. */
  'history.prune': scheduled({ everyMs: HOUR_MS }),
  /** Deletes scheduled changes that failed long ago. */
  'changes.prune': scheduled({ everyMs: HOUR_MS }),
});

export const keptNameJobs = jobsOf(maintenance, {
  /** Frees names that links and QR codes have left. */
  'names.prune': scheduled({ everyMs: HOUR_MS }),
});

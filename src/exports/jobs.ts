import type { CustomerFilters } from '../customers/conditions.ts';
import type { LinkFilters } from '../links/filters.ts';
import type { QrCodeFilters } from '../qrcodes/filters.ts';
import { bulk, maintenance, qr, writes } from '../queues/index.ts';
import { concerns, HOUR_MS, job, jobsOf, MINUTE_MS, scheduled } from '../queues/job.ts';
import type { RecordKind } from '../short-links/model.ts';
import type { ExportResult } from './address.ts';
import type { ArchiveHeader } from './archive.ts';
import type { EventExport } from './events.ts';
import type { ExportFormat } from './format.ts';
import type { PictureOptions } from './qrcodes/options.ts';
import type { ExportRecord } from './qrcodes/record.ts';

/** Input of an export. */
export interface NewExport {
  id: string;
  format: ExportFormat;
  of:
    | { events: EventExport }
    | { links: LinkFilters }
    | { qrcodes: QrCodeFilters }
    | { customers: CustomerFilters };
}

/** Input of the export of a workspace. */
export interface NewWorkspaceExport {
  id: string;
  /** Sealed passphrase. */
  passphrase?: string | undefined;
}

/** Download URL of a workspace export, its size, and the numbers of its records. */
export interface WorkspaceExport extends ExportResult {
  bytes: number;
  counts: ArchiveHeader['counts'];
}

/** Input of an export of images of QR codes. */
export interface NewPictureExport {
  id: string;
  options: PictureOptions;
  /** Filters, or ids in the order of the file. */
  selection: QrCodeFilters | LinkFilters | string[];
  /** Kind of the selected records; QR codes if absent. */
  kind?: RecordKind | undefined;
}

export const exportJobs = jobsOf(bulk, {
  'export.write': job<NewExport, ExportResult>({ audit: concerns('export') }),
  'export.workspace': job<NewWorkspaceExport, WorkspaceExport>({ audit: concerns('export') }),
  'export.qrcodes': job<NewPictureExport, ExportRecord>({ audit: concerns('export') }),
});

export const exportWriteJobs = jobsOf(writes, {
  'export.cancel': job<{ id: string }, ExportRecord>({ audit: concerns('export') }),
});

export const exportDrawingJobs = jobsOf(qr, {
  /** Draws the next images of an export. */
  'export.draw': job<{ id: string }>(),
});

export const exportMaintenanceJobs = jobsOf(maintenance, {
  'exports.prune': scheduled({ everyMs: HOUR_MS }),
  /** Queues exports whose job was lost. */
  'exports.resume': scheduled({ everyMs: MINUTE_MS }),
});

import type { LinkFilters } from '../links/filters.ts';
import { bulk, maintenance } from '../queues/index.ts';
import { concerns, HOUR_MS, job, jobsOf, scheduled } from '../queues/job.ts';
import type { ArchiveHeader } from './archive.ts';
import type { EventExport } from './events.ts';
import type { ExportFormat } from './format.ts';

/** Download URL of an export, and its expiry. */
export interface ExportResult {
  url: string;
  expiresAt: string;
}

/** Input of an export. */
export interface NewExport {
  id: string;
  format: ExportFormat;
  of: { events: EventExport } | { links: LinkFilters };
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

export const exportJobs = jobsOf(bulk, {
  'export.write': job<NewExport, ExportResult>({ audit: concerns('export') }),
  'export.workspace': job<NewWorkspaceExport, WorkspaceExport>({ audit: concerns('export') }),
});

export const exportMaintenanceJobs = jobsOf(maintenance, {
  'exports.prune': scheduled({ everyMs: HOUR_MS }),
});

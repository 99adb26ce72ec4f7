import { bulk, maintenance, writes } from '../queues/index.ts';
import { changes, job, jobsOf, MINUTE_MS, scheduled } from '../queues/job.ts';
import type { SharedFilters } from '../short-links/filters.ts';
import type { RecordKind } from '../short-links/model.ts';
import type { BulkChangeRecord } from './record.ts';
import type { Replacement } from './replace.ts';
import type { BulkData } from './schema.ts';

/** Input of a new bulk change. */
export interface NewBulkChange {
  id: string;
  kind: RecordKind;
  userId: string;
  /** Filters, or ids of records. */
  selection: SharedFilters | string[];
  data: BulkData;
  replacement: Replacement | null;
  dryRun: boolean;
}

/** Names a bulk change. */
export interface BulkChangeRef {
  id: string;
  kind: RecordKind;
}

const audited = { audit: changes('bulkChange') };

export const bulkChangeJobs = jobsOf(writes, {
  'bulkChange.start': job<BulkChangeRef, BulkChangeRecord>(audited),
  'bulkChange.cancel': job<BulkChangeRef, BulkChangeRecord>(audited),
  'bulkChange.undo': job<BulkChangeRef, BulkChangeRecord>(audited),
});

export const bulkChangeBulkJobs = jobsOf(bulk, {
  'bulkChange.create': job<NewBulkChange, BulkChangeRecord>(audited),
  /** Processes a slice of a bulk change. Only one such job runs per workspace. */
  'bulkChange.run': job<object>(),
});

export const bulkChangeMaintenanceJobs = jobsOf(maintenance, {
  /** Queues bulk changes whose job was lost. */
  'bulkChanges.resume': scheduled({ everyMs: MINUTE_MS }),
  'bulkChanges.prune': scheduled({ everyMs: 10 * MINUTE_MS }),
});

import type { SealedLink } from '../links/record.ts';
import type { SealedQrCode } from '../qrcodes/record.ts';
import { bulk, maintenance, writes } from '../queues/index.ts';
import { changes, HOUR_MS, job, jobsOf, scheduled } from '../queues/job.ts';
import type { EventsOnDelete } from '../short-links/schema.ts';
import type { Restored } from './record.ts';

export const trashJobs = jobsOf(writes, {
  'link.restore': job<{ id: string; key?: string | undefined }, SealedLink>({
    audit: changes('link'),
  }),
  'qrcode.restore': job<{ id: string }, SealedQrCode>({ audit: changes('qrcode') }),
  /** Deletes a record in the trash for good. */
  'trash.delete': job<{ id: string; events?: EventsOnDelete }, { id: string }>({
    audit: changes('trash'),
  }),
});

export const trashBulkJobs = jobsOf(bulk, {
  'trash.restore': job<{ ids: string[] }, Restored[]>({ audit: changes('trash') }),
});

export const trashMaintenanceJobs = jobsOf(maintenance, {
  /** Deletes records for good whose retention has ended. */
  'trash.prune': scheduled({ everyMs: HOUR_MS }),
});

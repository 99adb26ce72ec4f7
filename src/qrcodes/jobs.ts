import type { HandedOver } from '../infra/kept.ts';
import { bulk, qr, writes } from '../queues/index.ts';
import { changes, concerns, job, jobsOf } from '../queues/job.ts';
import type { Applied } from '../short-links/apply-scheduled.ts';
import type { Revert } from '../short-links/revert.ts';
import type { Scheduling, Unscheduling } from '../short-links/scheduled.ts';
import type { ScheduledChange } from '../short-links/scheduled-record.ts';
import type { BulkInput, EventsOnDelete } from '../short-links/schema.ts';
import type { Picture } from './pictures.ts';
import type { BulkQrCodeItem, SealedQrCode } from './record.ts';
import type { NewQrCode, QrCodeChanges } from './schema.ts';

/** Each job adds a row to the audit log. */
const audited = { audit: changes('qrcode') };
const concerning = { audit: concerns('qrcode') };

export const qrCodeJobs = jobsOf(writes, {
  'qrcode.create': job<{ userId: string; qrcode: NewQrCode }, SealedQrCode>(audited),
  'qrcode.update': job<{ qrcodeId: string; changes: QrCodeChanges }, SealedQrCode>(audited),
  'qrcode.delete': job<{ qrcodeId: string; events?: EventsOnDelete }, { id: string }>(audited),
  'qrcode.revert': job<Revert, SealedQrCode>(audited),
  'qrcode.reset': job<{ qrcodeId: string }, SealedQrCode>(audited),
  'qrcode.schedule': job<Scheduling<QrCodeChanges>, ScheduledChange>(concerning),
  'qrcode.unschedule': job<Unscheduling, { id: string }>(concerning),
  /** Applies the due changes of a QR code. Each adds the row of an update to the audit log. */
  'qrcode.apply': job<{ id: string }, Applied>(),
});

export const qrCodeBulkJobs = jobsOf(bulk, {
  'qrcodes.create': job<
    { userId: string; qrcodes: BulkInput<NewQrCode>[]; sent?: string | undefined },
    BulkQrCodeItem[]
  >(audited),
  'qrcodes.update': job<{ qrcodeIds: string[]; changes: QrCodeChanges }, BulkQrCodeItem[]>(audited),
  'qrcodes.delete': job<{ qrcodeIds: string[]; events?: EventsOnDelete }, { deletedCount: number }>(
    audited,
  ),
});

export const pictureJobs = jobsOf(qr, {
  'qr.render': job<Picture, HandedOver | undefined>(),
});

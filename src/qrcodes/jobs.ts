import type { HandedOver } from '../infra/kept.ts';
import { bulk, qr, writes } from '../queues/index.ts';
import { changes, job, jobsOf } from '../queues/job.ts';
import type { BulkInput, EventsOnDelete } from '../short-links/schema.ts';
import type { Picture } from './pictures.ts';
import type { BulkQrCodeItem, SealedQrCode } from './record.ts';
import type { NewQrCode, QrCodeChanges } from './schema.ts';

export const qrCodeJobs = jobsOf(writes, {
  'qrcode.create': job<{ userId: string; qrcode: NewQrCode }, SealedQrCode>({
    audit: changes('qrcode'),
  }),
  'qrcode.update': job<{ qrcodeId: string; changes: QrCodeChanges }, SealedQrCode>({
    audit: changes('qrcode'),
  }),
  'qrcode.delete': job<{ qrcodeId: string; events?: EventsOnDelete }, { id: string }>({
    audit: changes('qrcode'),
  }),
});

export const qrCodeBulkJobs = jobsOf(bulk, {
  'qrcodes.create': job<
    { userId: string; qrcodes: BulkInput<NewQrCode>[]; sent?: string | undefined },
    BulkQrCodeItem[]
  >({ audit: changes('qrcode') }),
  'qrcodes.update': job<{ qrcodeIds: string[]; changes: QrCodeChanges }, BulkQrCodeItem[]>({
    audit: changes('qrcode'),
  }),
  'qrcodes.delete': job<{ qrcodeIds: string[]; events?: EventsOnDelete }, { deletedCount: number }>(
    { audit: changes('qrcode') },
  ),
});

export const pictureJobs = jobsOf(qr, {
  'qr.render': job<Picture, HandedOver | undefined>(),
});

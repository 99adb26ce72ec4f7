import { scheduledRoutes } from '../short-links/scheduled-routes.ts';
import { qrCodeJobs } from './jobs.ts';
import { QR_CODE_TABLES } from './model.ts';
import { qrCodeQueries } from './queries.ts';
import { type QrCodeChanges, qrCodeParams } from './schema.ts';
import { toShownChanges } from './shown-changes.ts';

/** Endpoints of the scheduled changes of QR codes. */
export const qrCodeScheduledRoutes = scheduledRoutes({
  tables: QR_CODE_TABLES,
  tag: 'QR codes',
  path: '/qrcodes/{qrcodeId}',
  params: qrCodeParams,
  findByRef: (projectId, ref) => qrCodeQueries.findByRef(projectId, ref),
  toShown: (changes, canRead) => toShownChanges(changes as QrCodeChanges, canRead),
  unschedule: qrCodeJobs['qrcode.unschedule'],
});

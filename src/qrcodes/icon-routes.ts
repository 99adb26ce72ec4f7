import { iconRoutes } from '../metatags/icon-routes.ts';
import { qrCodeQueries } from './queries.ts';
import { qrCodeParams } from './schema.ts';

/** Endpoint of the icons of QR codes. */
export const qrCodeIconRoutes = iconRoutes({
  kind: 'qrcode',
  tag: 'QR codes',
  path: '/qrcodes/{qrcodeId}',
  params: qrCodeParams,
  findByRef: (projectId, ref) => qrCodeQueries.findByRef(projectId, ref),
});

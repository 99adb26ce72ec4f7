import { analyticsRoutes } from '../analytics/routes.ts';
import { conversionRoutes } from '../conversions/routes.ts';
import { customerRoutes } from '../customers/routes.ts';
import { domainRoutes } from '../domains/routes.ts';
import { eventRoutes } from '../events/routes.ts';
import { exportRoutes } from '../exports/routes.ts';
import { folderRoutes } from '../folders/routes.ts';
import { jobRoutes } from '../jobs/routes.ts';
import { linkRoutes } from '../links/routes.ts';
import { metatagsRoutes } from '../metatags/routes.ts';
import { pageRoutes } from '../pages/routes.ts';
import { qrCodeRoutes } from '../qrcodes/routes.ts';
import { tagRoutes } from '../tags/routes.ts';
import { templateRoutes } from '../templates/routes.ts';
import { webhookRoutes } from '../webhooks/routes.ts';
import type { Route } from './route.ts';

/** Every endpoint, in the order in which paths are tried: fixed paths of a room stand before `{id}`. */
export const routes: readonly Route[] = [
  ...exportRoutes,
  ...linkRoutes,
  ...qrCodeRoutes,
  ...templateRoutes,
  ...tagRoutes,
  ...folderRoutes,
  ...pageRoutes,
  ...metatagsRoutes,
  ...domainRoutes,
  ...conversionRoutes,
  ...customerRoutes,
  ...eventRoutes,
  ...analyticsRoutes,
  ...webhookRoutes,
  ...jobRoutes,
];

import { adminRoutes } from '../admin/routes.ts';
import { auditRoutes } from '../audit/routes.ts';
import { bulkChangeRoutes } from '../bulk-changes/routes.ts';
import { conversionRoutes } from '../conversions/routes.ts';
import { customerRoutes } from '../customers/routes.ts';
import { destinationRoutes } from '../destinations/routes.ts';
import { domainRoutes } from '../domains/routes.ts';
import { customerTimelineRoutes } from '../event-records/customer-timeline.ts';
import { eventRecords } from '../event-records/event-records.ts';
import { analyticsRoutes } from '../events/analytics-routes.ts';
import { liveRoutes } from '../events/live/routes.ts';
import { reportRoutes } from '../events/report/routes.ts';
import { eventRoutes } from '../events/routes.ts';
import { exportRoutes } from '../exports/routes.ts';
import { folderRoutes } from '../folders/routes.ts';
import type { OperationId, Route } from '../http/route.ts';
import { importRoutes } from '../imports/routes.ts';
import { once } from '../infra/memoize.ts';
import { integrationRoutes } from '../integrations/routes.ts';
import { invitationRoutes } from '../invitations/routes.ts';
import { jobRoutes } from '../jobs/routes.ts';
import { keyRoutes } from '../keys/routes.ts';
import { linkHistoryRoutes } from '../links/history-routes.ts';
import { linkIconRoutes } from '../links/icon-routes.ts';
import { linkRoutes } from '../links/routes.ts';
import { linkScheduledRoutes } from '../links/scheduled-routes.ts';
import { utmTemplateRoutes } from '../links/utm-templates/routes.ts';
import { notificationRoutes } from '../mail/routes.ts';
import { memberRoutes } from '../members/routes.ts';
import { metatagsRoutes } from '../metatags/routes.ts';
import { oauthRoutes } from '../oauth/routes.ts';
import { pageRoutes } from '../pages/routes.ts';
import { passkeyRoutes } from '../passkeys/routes.ts';
import { passwordResetRoutes } from '../password-resets/routes.ts';
import { placeRoutes } from '../places/routes.ts';
import { fileRoutes } from '../qrcodes/files.ts';
import { fontRoutes } from '../qrcodes/fonts/routes.ts';
import { qrCodeHistoryRoutes } from '../qrcodes/history-routes.ts';
import { qrCodeIconRoutes } from '../qrcodes/icon-routes.ts';
import { plainCode } from '../qrcodes/render/plain-code.ts';
import { qrCodeRoutes } from '../qrcodes/routes.ts';
import { qrCodeScheduledRoutes } from '../qrcodes/scheduled-routes.ts';
import { templateRoutes } from '../qrcodes/templates/routes.ts';
import { reportRecipientRoutes } from '../reports/recipients/routes.ts';
import { sharedReportRoutes } from '../reports/routes.ts';
import { settingsRoutes } from '../settings/routes.ts';
import { tagRoutes } from '../tags/routes.ts';
import { trashRoutes } from '../trash/routes.ts';
import { oidcRoutes } from '../users/oidc-routes.ts';
import { userRoutes } from '../users/routes.ts';
import { secondFactorRoutes } from '../users/second-factor/routes.ts';
import { signInRoutes } from '../users/sign-in-routes.ts';
import { viewRoutes } from '../views/routes.ts';
import { webhookRoutes } from '../webhooks/routes.ts';
import { SCOPES, type Scope } from '../workspaces/scopes.ts';
import { TOOLS } from './mcp/tools.ts';

/**
 * All endpoints, in the order in which paths are matched: fixed paths of a folder come before
 * `{id}`.
 */
export const routes: readonly Route[] = [
  ...exportRoutes,
  ...importRoutes,
  ...bulkChangeRoutes,
  ...linkRoutes,
  ...linkHistoryRoutes,
  ...linkIconRoutes,
  ...linkScheduledRoutes,
  ...qrCodeRoutes,
  ...qrCodeHistoryRoutes,
  ...qrCodeIconRoutes,
  ...qrCodeScheduledRoutes,
  ...trashRoutes,
  ...templateRoutes,
  ...fontRoutes,
  ...fileRoutes,
  ...tagRoutes,
  ...folderRoutes,
  ...utmTemplateRoutes,
  ...viewRoutes,
  ...pageRoutes,
  ...placeRoutes,
  ...metatagsRoutes,
  ...domainRoutes,
  ...conversionRoutes,
  ...integrationRoutes,
  ...customerRoutes,
  ...customerTimelineRoutes,
  ...eventRoutes(eventRecords),
  ...liveRoutes(eventRecords),
  ...analyticsRoutes(eventRecords),
  ...reportRoutes(eventRecords),
  ...sharedReportRoutes(eventRecords),
  ...reportRecipientRoutes,
  ...webhookRoutes,
  ...destinationRoutes,
  ...settingsRoutes,
  ...memberRoutes,
  ...invitationRoutes,
  ...keyRoutes,
  ...auditRoutes,
  ...jobRoutes,
  ...adminRoutes,
  ...signInRoutes,
  ...secondFactorRoutes(plainCode),
  ...passkeyRoutes,
  ...passwordResetRoutes,
  ...oidcRoutes,
  ...userRoutes,
  ...notificationRoutes,
  ...oauthRoutes(() => toolScopes()),
];

const byOperation = once(() => new Map(routes.map((route) => [route.operationId, route])));

/**
 * Returns an endpoint of this API by its operation id.
 *
 * @throws Error if there is none
 */
export function endpoint(operation: OperationId): Route {
  const route = byOperation().get(operation);
  if (route === undefined) throw new Error(`there is no operation ${operation}`);
  return route;
}

/** Returns the scopes that the tools of the MCP server need, in the order of {@link SCOPES}. */
export const toolScopes = once((): readonly Scope[] => {
  const needed = new Set(TOOLS.map(({ operation }) => endpoint(operation).scope));
  return SCOPES.filter((scope) => needed.has(scope));
});

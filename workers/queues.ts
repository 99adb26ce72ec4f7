import type { Log } from '../src/infra/log.ts';
import type { QueueName } from '../src/queues/index.ts';
import type { JobHandler } from '../src/queues/job.ts';

interface WorkerOptions {
  log: Log;
  /**
   * True if one event loop serves all queues: a handler that would block it for long then uses a
   * thread.
   */
  isShared: boolean;
}

const all = async (loading: Promise<JobHandler[]>[]): Promise<JobHandler[]> =>
  (await Promise.all(loading)).flat();

/** Loaders of the handlers of each queue. A worker process loads only the code of its own queue. */
export const HANDLERS: Readonly<
  Record<QueueName, (options: WorkerOptions) => Promise<JobHandler[]>>
> = {
  writes: () =>
    all([
      import('../src/admin/abuse-reports.ts').then(({ adminHandlers }) => adminHandlers),
      import('../src/bulk-changes/commands.ts').then(
        ({ bulkChangeHandlers }) => bulkChangeHandlers,
      ),
      import('../src/conversions/commands.ts').then(({ conversionHandlers }) => conversionHandlers),
      import('../src/customers/commands.ts').then(({ customerHandlers }) => customerHandlers),
      import('../src/destinations/commands.ts').then(
        ({ eventDestinationHandlers }) => eventDestinationHandlers,
      ),
      import('../src/domains/commands.ts').then(({ domainHandlers }) => domainHandlers),
      import('../src/exports/qrcodes/cancel.ts').then(
        ({ exportWriteHandlers }) => exportWriteHandlers,
      ),
      import('../src/folders/commands.ts').then(({ folderHandlers }) => folderHandlers),
      import('../src/imports/commands.ts').then(({ importHandlers }) => importHandlers),
      import('../src/integrations/commands.ts').then(({ integrationHandlers, paymentHandlers }) => [
        ...integrationHandlers,
        ...paymentHandlers,
      ]),
      import('../src/invitations/commands.ts').then(({ invitationHandlers }) => invitationHandlers),
      import('../src/keys/commands.ts').then(({ keyHandlers }) => keyHandlers),
      import('../src/links/commands.ts').then(({ linkHandlers }) => linkHandlers),
      import('../src/links/utm-templates/commands.ts').then(
        ({ utmTemplateHandlers }) => utmTemplateHandlers,
      ),
      import('../src/mail/preferences.ts').then(({ notificationHandlers }) => notificationHandlers),
      import('../src/members/commands.ts').then(({ memberHandlers }) => memberHandlers),
      import('../src/oauth/commands.ts').then(({ oauthHandlers }) => oauthHandlers),
      import('../src/pages/commands.ts').then(({ pageHandlers }) => pageHandlers),
      import('../src/passkeys/commands.ts').then(({ passkeyHandlers }) => passkeyHandlers),
      import('../src/password-resets/commands.ts').then(
        ({ passwordResetHandlers }) => passwordResetHandlers,
      ),
      import('../src/qrcodes/commands.ts').then(({ qrCodeHandlers }) => qrCodeHandlers),
      import('../src/qrcodes/fonts/commands.ts').then(({ fontWriteHandlers }) => fontWriteHandlers),
      import('../src/qrcodes/templates/commands.ts').then(
        ({ templateHandlers }) => templateHandlers,
      ),
      import('../src/settings/commands.ts').then(({ settingsHandlers }) => settingsHandlers),
      import('../src/reports/commands.ts').then(({ sharedReportHandlers }) => sharedReportHandlers),
      import('../src/reports/recipients/commands.ts').then(
        ({ reportRecipientHandlers }) => reportRecipientHandlers,
      ),
      import('../src/tags/commands.ts').then(({ tagHandlers }) => tagHandlers),
      import('../src/trash/commands.ts').then(({ trashHandlers }) => trashHandlers),
      import('../src/users/commands.ts').then(({ userHandlers }) => userHandlers),
      import('../src/users/second-factor/commands.ts').then(
        ({ secondFactorHandlers }) => secondFactorHandlers,
      ),
      import('../src/users/identities.ts').then(({ identityHandlers }) => identityHandlers),
      import('../src/users/workspaces.ts').then(({ ownWorkspaceHandlers }) => ownWorkspaceHandlers),
      import('../src/views/commands.ts').then(({ viewHandlers }) => viewHandlers),
      import('../src/webhooks/commands.ts').then(({ webhookHandlers }) => webhookHandlers),
      import('../src/workspaces/api-keys.ts').then(({ keyUseHandlers }) => keyUseHandlers),
    ]),
  bulk: () =>
    all([
      import('../src/bulk-changes/commands.ts').then(
        ({ bulkChangeBulkHandlers }) => bulkChangeBulkHandlers,
      ),
      import('../src/exports/commands.ts').then(({ exportHandlers }) => exportHandlers),
      import('../src/imports/commands.ts').then(({ importBulkHandlers }) => importBulkHandlers),
      import('../src/links/commands.ts').then(({ linkBulkHandlers }) => linkBulkHandlers),
      import('../src/qrcodes/commands.ts').then(({ qrCodeBulkHandlers }) => qrCodeBulkHandlers),
      import('../src/trash/commands.ts').then(({ trashBulkHandlers }) => trashBulkHandlers),
    ]),
  images: () =>
    all([
      import('../src/images/keep.ts').then(({ imageHandlers }) => imageHandlers),
      import('../src/metatags/icons.ts').then(({ iconHandlers }) => iconHandlers),
      import('../src/metatags/preview-image.ts').then(
        ({ previewImageHandlers }) => previewImageHandlers,
      ),
      import('../src/qrcodes/fonts/commands.ts').then(({ fontHandlers }) => fontHandlers),
    ]),
  metatags: () =>
    all([
      import('../src/domains/checks.ts').then(({ domainCheckHandlers }) => domainCheckHandlers),
      import('../src/metatags/commands.ts').then(({ metatagHandlers }) => metatagHandlers),
      import('../src/metatags/preview.ts').then(({ destinationHandlers }) => destinationHandlers),
    ]),
  currency: () =>
    import('../src/currency/rates.ts').then(({ currencyHandlers }) => currencyHandlers),
  mail: () => import('../src/mail/send.ts').then(({ mailHandlers }) => mailHandlers),
  maintenance: () =>
    all([
      import('../src/admin/abuse-reports.ts').then(
        ({ adminMaintenanceHandlers }) => adminMaintenanceHandlers,
      ),
      import('../src/audit/prune.ts').then(({ auditHandlers }) => auditHandlers),
      import('../src/bulk-changes/commands.ts').then(
        ({ bulkChangeMaintenanceHandlers }) => bulkChangeMaintenanceHandlers,
      ),
      import('../src/conversions/convert-later.ts').then(
        ({ conversionMaintenanceHandlers }) => conversionMaintenanceHandlers,
      ),
      import('../src/destinations/commands.ts').then(
        ({ destinationMaintenanceHandlers }) => destinationMaintenanceHandlers,
      ),
      import('../src/domains/commands.ts').then(
        ({ domainMaintenanceHandlers }) => domainMaintenanceHandlers,
      ),
      import('../src/events/upkeep.ts').then(({ eventHandlers }) => eventHandlers),
      import('./reports.ts').then(({ reportHandlers, reportMailHandlers }) => [
        ...reportHandlers,
        ...reportMailHandlers,
      ]),
      import('../src/exports/commands.ts').then(
        ({ exportMaintenanceHandlers }) => exportMaintenanceHandlers,
      ),
      import('../src/images/keep.ts').then(
        ({ imageMaintenanceHandlers }) => imageMaintenanceHandlers,
      ),
      import('../src/imports/commands.ts').then(
        ({ importMaintenanceHandlers }) => importMaintenanceHandlers,
      ),
      import('../src/integrations/commands.ts').then(
        ({ paymentMaintenanceHandlers }) => paymentMaintenanceHandlers,
      ),
      import('../src/invitations/commands.ts').then(
        ({ invitationMaintenanceHandlers }) => invitationMaintenanceHandlers,
      ),
      import('../src/jobs/expire.ts').then(({ outcomeHandlers }) => outcomeHandlers),
      import('../src/links/check-destinations.ts').then(
        ({ linkMaintenanceHandlers }) => linkMaintenanceHandlers,
      ),
      import('../src/mail/alerts.ts').then(
        ({ mailMaintenanceHandlers }) => mailMaintenanceHandlers,
      ),
      import('../src/oauth/commands.ts').then(
        ({ oauthMaintenanceHandlers }) => oauthMaintenanceHandlers,
      ),
      import('../src/qrcodes/fonts/commands.ts').then(
        ({ fontMaintenanceHandlers }) => fontMaintenanceHandlers,
      ),
      import('../src/short-links/prune-history.ts').then(({ historyHandlers }) => historyHandlers),
      import('../src/short-links/kept-names.ts').then(({ keptNameHandlers }) => keptNameHandlers),
      import('../src/trash/commands.ts').then(
        ({ trashMaintenanceHandlers }) => trashMaintenanceHandlers,
      ),
      import('../src/users/commands.ts').then(
        ({ userMaintenanceHandlers }) => userMaintenanceHandlers,
      ),
      import('../src/webhooks/receivers.ts').then(
        ({ webhookMaintenanceHandlers }) => webhookMaintenanceHandlers,
      ),
    ]),
  clicks: ({ log }) => import('./clicks.ts').then(({ clickHandlers }) => clickHandlers(log)),
  async qr({ isShared }) {
    const { pictureHandlers } = await import('../src/qrcodes/draw-picture.ts');
    const { drawingHandlers } = await import('../src/exports/qrcodes/run.ts');
    return [...pictureHandlers(isShared), ...drawingHandlers()];
  },
  destinations: () =>
    import('../src/destinations/send.ts').then(({ sendingHandlers }) => sendingHandlers()),
  webhooks: () =>
    import('../src/webhooks/deliver.ts').then(({ deliveryHandlers }) => deliveryHandlers()),
};

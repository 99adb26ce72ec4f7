import { adminJobs, adminMaintenanceJobs, rejectedVisitJobs } from '../src/admin/jobs.ts';
import { auditJobs } from '../src/audit/jobs.ts';
import { conversionJobs } from '../src/conversions/jobs.ts';
import { currencyJobs } from '../src/currency/jobs.ts';
import { customerJobs } from '../src/customers/jobs.ts';
import { domainCheckJobs, domainJobs, domainMaintenanceJobs } from '../src/domains/jobs.ts';
import { eventJobs, reportJobs } from '../src/events/jobs.ts';
import { exportJobs, exportMaintenanceJobs } from '../src/exports/jobs.ts';
import { folderJobs } from '../src/folders/jobs.ts';
import { imageJobs, imageMaintenanceJobs } from '../src/images/jobs.ts';
import { importBulkJobs, importJobs, importMaintenanceJobs } from '../src/imports/jobs.ts';
import { invitationJobs, invitationMaintenanceJobs } from '../src/invitations/jobs.ts';
import { outcomeJobs } from '../src/jobs/jobs.ts';
import { keyJobs } from '../src/keys/jobs.ts';
import { linkBulkJobs, linkJobs, linkMaintenanceJobs } from '../src/links/jobs.ts';
import { utmTemplateJobs } from '../src/links/utm-templates/jobs.ts';
import { mailJobs, mailMaintenanceJobs, notificationJobs } from '../src/mail/jobs.ts';
import { memberJobs } from '../src/members/jobs.ts';
import { metatagJobs, previewImageJobs } from '../src/metatags/jobs.ts';
import { pageJobs } from '../src/pages/jobs.ts';
import { pictureJobs, qrCodeBulkJobs, qrCodeJobs } from '../src/qrcodes/jobs.ts';
import { templateJobs } from '../src/qrcodes/templates/jobs.ts';
import type { AnyJob } from '../src/queues/job.ts';
import { settingsJobs } from '../src/settings/jobs.ts';
import {
  destinationJobs,
  keptNameJobs,
  linkPreviewJobs,
  qrCodePreviewJobs,
} from '../src/short-links/jobs.ts';
import { tagJobs } from '../src/tags/jobs.ts';
import {
  identityJobs,
  ownWorkspaceJobs,
  userJobs,
  userMaintenanceJobs,
} from '../src/users/jobs.ts';
import { viewJobs } from '../src/views/jobs.ts';
import { visitJobs } from '../src/visits/jobs.ts';
import { deliveryJobs, webhookJobs, webhookMaintenanceJobs } from '../src/webhooks/jobs.ts';
import { keyUseJobs } from '../src/workspaces/jobs.ts';

/** All jobs of the service, for the schedule, the audit log and the fuzzer. */
export const ALL_JOBS: readonly AnyJob[] = [
  adminJobs,
  adminMaintenanceJobs,
  rejectedVisitJobs,
  auditJobs,
  conversionJobs,
  currencyJobs,
  customerJobs,
  domainCheckJobs,
  domainJobs,
  domainMaintenanceJobs,
  eventJobs,
  reportJobs,
  exportJobs,
  exportMaintenanceJobs,
  folderJobs,
  imageJobs,
  imageMaintenanceJobs,
  importBulkJobs,
  importJobs,
  importMaintenanceJobs,
  invitationJobs,
  invitationMaintenanceJobs,
  outcomeJobs,
  keyJobs,
  linkBulkJobs,
  linkJobs,
  linkMaintenanceJobs,
  utmTemplateJobs,
  mailJobs,
  mailMaintenanceJobs,
  notificationJobs,
  memberJobs,
  metatagJobs,
  previewImageJobs,
  pageJobs,
  pictureJobs,
  qrCodeBulkJobs,
  qrCodeJobs,
  templateJobs,
  settingsJobs,
  destinationJobs,
  keptNameJobs,
  linkPreviewJobs,
  qrCodePreviewJobs,
  tagJobs,
  userJobs,
  userMaintenanceJobs,
  identityJobs,
  ownWorkspaceJobs,
  viewJobs,
  visitJobs,
  deliveryJobs,
  webhookJobs,
  webhookMaintenanceJobs,
  keyUseJobs,
].flatMap((jobs) => Object.values<AnyJob>(jobs));

import * as admin from '../src/admin/jobs.ts';
import * as audit from '../src/audit/jobs.ts';
import * as bulkChanges from '../src/bulk-changes/jobs.ts';
import * as conversions from '../src/conversions/jobs.ts';
import * as currency from '../src/currency/jobs.ts';
import * as customers from '../src/customers/jobs.ts';
import * as destinations from '../src/destinations/jobs.ts';
import * as domains from '../src/domains/jobs.ts';
import * as events from '../src/events/jobs.ts';
import * as exports from '../src/exports/jobs.ts';
import * as folders from '../src/folders/jobs.ts';
import * as images from '../src/images/jobs.ts';
import * as imports from '../src/imports/jobs.ts';
import * as integrations from '../src/integrations/jobs.ts';
import * as invitations from '../src/invitations/jobs.ts';
import * as outcomes from '../src/jobs/jobs.ts';
import * as keys from '../src/keys/jobs.ts';
import * as links from '../src/links/jobs.ts';
import * as utmTemplates from '../src/links/utm-templates/jobs.ts';
import * as mail from '../src/mail/jobs.ts';
import * as members from '../src/members/jobs.ts';
import * as metatags from '../src/metatags/jobs.ts';
import * as oauth from '../src/oauth/jobs.ts';
import * as pages from '../src/pages/jobs.ts';
import * as passkeys from '../src/passkeys/jobs.ts';
import * as passwordResets from '../src/password-resets/jobs.ts';
import * as fonts from '../src/qrcodes/fonts/jobs.ts';
import * as qrcodes from '../src/qrcodes/jobs.ts';
import * as templates from '../src/qrcodes/templates/jobs.ts';
import type { AnyJob } from '../src/queues/job.ts';
import * as sharedReports from '../src/reports/jobs.ts';
import * as reportRecipients from '../src/reports/recipients/jobs.ts';
import * as settings from '../src/settings/jobs.ts';
import * as shortLinks from '../src/short-links/jobs.ts';
import * as tags from '../src/tags/jobs.ts';
import * as trash from '../src/trash/jobs.ts';
import * as users from '../src/users/jobs.ts';
import * as secondFactor from '../src/users/second-factor/jobs.ts';
import * as views from '../src/views/jobs.ts';
import * as visits from '../src/visits/jobs.ts';
import * as webhooks from '../src/webhooks/jobs.ts';
import * as workspaces from '../src/workspaces/jobs.ts';

/** All jobs of the service, for the schedule, the audit log and the fuzzer. */
export const ALL_JOBS: readonly AnyJob[] = [
  admin,
  audit,
  bulkChanges,
  conversions,
  currency,
  customers,
  destinations,
  domains,
  events,
  exports,
  folders,
  images,
  imports,
  integrations,
  invitations,
  outcomes,
  keys,
  links,
  utmTemplates,
  mail,
  members,
  metatags,
  oauth,
  pages,
  passkeys,
  passwordResets,
  qrcodes,
  fonts,
  templates,
  settings,
  sharedReports,
  reportRecipients,
  shortLinks,
  tags,
  trash,
  users,
  secondFactor,
  views,
  visits,
  webhooks,
  workspaces,
]
  .flatMap((tables) => Object.values<Readonly<Record<string, AnyJob>>>(tables))
  .flatMap((jobs) => Object.values(jobs));

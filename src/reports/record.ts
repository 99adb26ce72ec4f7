import { config } from '../config.ts';
import { flag, Joi, nullableTime, oneOf, requiredText, requiredTime } from '../http/fields.ts';
import { type SealContext, seal, unseal } from '../infra/seal.ts';
import { openSealed, type Sealed } from '../jobs/sealed.ts';
import { MAIL_FREQUENCIES } from '../mail/sending-times.ts';
import { SHOWN_GROUPS } from './groups.ts';
import type { SharedReport } from './model.ts';

/** Path below which reports are served. */
export const REPORT_PATH = '/shared';

/** Context in which tokens and URLs of a workspace's reports are sealed. */
const contextOf = (projectId: string): SealContext => ({ purpose: 'report', owner: projectId });

/** Encrypts the token of a report, for its job and its row. */
export const sealToken = (projectId: string, token: string): string =>
  seal(contextOf(projectId), token);

/** Builds the record of a report for its owner, with the URL for readers. */
export function toReport(row: SharedReport) {
  return {
    id: row.id,
    name: row.name,
    query: row.query,
    groups: row.groups,
    url: `${config().BASE_URL}${REPORT_PATH}/${unseal(contextOf(row.project_id), row.token)}`,
    hasPassword: row.password_hash !== null,
    expiresAt: row.expires_at?.toISOString() ?? null,
    embedOrigins: row.embed_origins,
    schedule: row.schedule,
    nextMailAt: row.mail_due_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
  };
}

export type ReportRecord = ReturnType<typeof toReport>;

/** A report in the result of a job, which Redis and Postgres store: its URL is sealed. */
export type SealedReport = Omit<ReportRecord, 'url'> & { url: Sealed };

/** Builds the result of a job. */
export function toSealedReport(row: SharedReport): SealedReport {
  const report = toReport(row);
  return { ...report, url: { sealed: seal(contextOf(row.project_id), report.url) } };
}

/** Decrypts the URL in the result of a job. */
export const openReport = (projectId: string, report: SealedReport): ReportRecord => ({
  ...report,
  url: openSealed(projectId, 'report', report.url),
});

/** Schema of a report, for the reference and for checking answers. */
export const reportRecord = Joi.object({
  id: requiredText.description('Id of the report.').example('shr_5Rt9pXc1Ze'),
  name: requiredText.description('Name.').example('Spring campaign'),
  query: requiredText
    .allow('')
    .description('Filters, event and period, as a query string of `GET /analytics`.')
    .example('interval=30d&country=DE'),
  groups: Joi.array()
    .items(oneOf(SHOWN_GROUPS))
    .required()
    .description('Lists of the report: values of `groupBy`.')
    .example(['countries', 'sources']),
  url: requiredText
    .description('URL for readers. Anyone who has it can open the report; rotate it to revoke it.')
    .example('https://links.example.com/shared/p2JvX0cT8n5mWq3rK7sLd1fGh4yBzEaU6oNiVwQtRxM'),
  hasPassword: flag().required().description('Readers must enter a password.'),
  expiresAt: nullableTime.description('Time at which it can no longer be opened; null: never.'),
  embedOrigins: Joi.array()
    .items(Joi.string())
    .required()
    .description('Origins whose pages may show it in a frame.')
    .example(['https://www.example.com']),
  schedule: Joi.object({
    every: oneOf(MAIL_FREQUENCIES).required().description('Frequency.').example('week'),
    day: Joi.number()
      .integer()
      .allow(null)
      .required()
      .description('Day of the week, from 1 for Monday, or of the month; null for every day.')
      .example(1),
    hour: Joi.number().integer().required().description('Hour of the day.').example(8),
    timezone: requiredText.description('IANA time zone.').example('Europe/Berlin'),
  })
    .allow(null)
    .required()
    .description('Times at which the recipients get it by email; null: none.'),
  nextMailAt: nullableTime.description('Time of the next emails; null without a schedule.'),
  createdAt: requiredTime.description('Time of creation.'),
}).meta({ name: 'SharedReport' });

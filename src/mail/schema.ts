import {
  canonicalTimezone,
  id,
  Joi,
  list,
  requiredText,
  requiredTime,
  timezone,
} from '../http/fields.ts';
import { ALERT_KINDS, type AlertKind, alertOf } from './alert-kinds.ts';
import { REPORT_INTERVALS, type ReportInterval } from './report-times.ts';

/** A report that a person subscribes to. */
export interface ReportChoice {
  every: ReportInterval;
  timezone: string;
}

/** Changes of the mail that a person receives from a workspace. */
export interface NotificationChanges {
  alerts?: AlertKind[];
  report?: ReportChoice | null;
}

const every = () =>
  Joi.string()
    .valid(...REPORT_INTERVALS)
    .description('weekly: the previous week, on Mondays; monthly: the previous month, on the 1st.');

/** Parameters of a report. */
export const reportFields = {
  every: every(),
  timezone: timezone()
    .custom(canonicalTimezone)
    .description('IANA time zone of days, weeks and months.')
    .example('Europe/Berlin'),
};

export const notificationParams = Joi.object<{ projectId: string }>({
  projectId: id().required().description('Id of the workspace.'),
});

const alertKind = () => Joi.string().valid(...ALERT_KINDS);

export const notificationChangesBody = Joi.object<NotificationChanges>({
  alerts: list(alertKind())
    .description(
      `Alerts by email: ${ALERT_KINDS.map((kind) => `\`${kind}\` when ${alertOf(kind).when}`).join('; ')}.`,
    )
    .example(['limit.reached', 'webhook.disabled']),
  report: Joi.object<ReportChoice>({ ...reportFields, every: every().required() })
    .allow(null)
    .description('Report by email at 8 o’clock; null: none.'),
})
  .or('alerts', 'report')
  .meta({ name: 'NotificationsUpdate' });

/** The mail that a person receives from a workspace. */
export interface NotificationsRecord {
  projectId: string;
  slug: string;
  name: string;
  alerts: AlertKind[];
  report: (ReportChoice & { nextAt: string }) | null;
}

export const notificationsRecord = Joi.object({
  projectId: requiredText.description('Id of the workspace.').example('proj_4Jx2vQ0aTq'),
  slug: requiredText.description('Short name of the workspace.').example('acme'),
  name: requiredText.description('Name of the workspace.').example('Acme'),
  alerts: Joi.array().items(alertKind()).required().description('Alerts by email.'),
  report: Joi.object({
    every: every().required(),
    timezone: requiredText.description('IANA time zone.').example('Europe/Berlin'),
    nextAt: requiredTime.description('Time of the next report.'),
  })
    .allow(null)
    .required()
    .description('Report by email; null: none.'),
}).meta({ name: 'Notifications' });

export const allNotifications = Joi.object({
  isMailSetUp: Joi.boolean()
    .required()
    .description('The installation has a mail server; without one, no email is sent.'),
  workspaces: Joi.array()
    .items(notificationsRecord)
    .required()
    .description('Alerts and reports that the person gets, per workspace, by name.'),
}).meta({ name: 'AllNotifications' });

import { mail, maintenance, writes } from '../queues/index.ts';
import { HOUR_MS, job, jobsOf, MINUTE_MS, scheduled } from '../queues/job.ts';
import type { AlertKind } from './alert-kinds.ts';
import type { NotificationChanges, NotificationsRecord } from './schema.ts';

/** A subscription to end: mails of a kind, from a workspace. */
export interface Subscription {
  userId: string;
  projectId: string;
  kind: AlertKind | 'report';
}

export const notificationJobs = jobsOf(writes, {
  'notifications.update': job<
    {
      userId: string;
      projectId: string;
      /** True if the session of the person has a second factor. */
      hasSecondFactor?: boolean | undefined;
      changes: NotificationChanges;
    },
    NotificationsRecord
  >(),
  'notifications.unsubscribe': job<Subscription>(),
});

export const mailJobs = jobsOf(mail, {
  'mail.send': job<{ mailId: string }>(),
  /** Adds jobs for mails whose job was lost. */
  'mail.sweep': scheduled({ everyMs: MINUTE_MS, attempts: 4 }),
});

export const mailMaintenanceJobs = jobsOf(maintenance, {
  'alerts.send': scheduled({ everyMs: MINUTE_MS }),
  'mails.prune': scheduled({ everyMs: HOUR_MS }),
});

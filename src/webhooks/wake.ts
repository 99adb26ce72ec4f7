import { followUps } from '../jobs/follow-up.ts';
import { deliveryJobs } from './jobs.ts';

/**
 * Queues jobs that send the due deliveries of webhooks. Not awaited: after a failure, a sweep finds
 * the deliveries within seconds.
 */
export function wakeWebhooks(projectId: string, ids: Iterable<string>): void {
  for (const webhookId of ids) {
    followUps()
      .wake(deliveryJobs['webhook.send'], { webhookId }, { subject: webhookId, projectId })
      .catch(() => {});
  }
}

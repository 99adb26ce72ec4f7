import { followUps } from '../jobs/follow-up.ts';
import { deliveryJobs } from './jobs.ts';

/**
 * Queues jobs that send the due deliveries of these webhooks. Not awaited, and a failure loses nothing: a sweep finds
 * due deliveries within seconds.
 */
export function wakeWebhooks(projectId: string, ids: Iterable<string>): void {
  for (const webhookId of ids) {
    followUps()
      .wake(deliveryJobs['webhook.send'], { webhookId }, { subject: webhookId, projectId })
      .catch(() => {});
  }
}

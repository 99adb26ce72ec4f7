import { followUps } from '../jobs/follow-up.ts';
import { webhooks } from '../queues/webhooks.ts';

/**
 * Queues jobs that send the due deliveries of these webhooks. Not awaited, and a failure loses nothing: a sweep finds
 * due deliveries within seconds.
 */
export function wakeWebhooks(projectId: string, ids: Iterable<string>): void {
  for (const webhookId of ids) {
    followUps()
      .wake(webhooks, 'webhook.send', { webhookId }, { subject: webhookId, projectId })
      .catch(() => {});
  }
}

import { followUps } from '../jobs/follow-up.ts';
import { webhooks } from '../queues/webhooks.ts';

/**
 * Has what is due to these webhooks sent soon. Nobody waits for it, and nothing is lost where it fails: what is due is
 * found again within seconds.
 */
export function wakeWebhooks(ids: Iterable<string>): void {
  for (const webhookId of ids) {
    followUps()
      .wake(webhooks, 'webhook.send', { webhookId }, webhookId)
      .catch(() => {});
  }
}

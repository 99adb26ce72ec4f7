import { queueRedis } from '../infra/redis.ts';
import { Producer } from '../queues/queue.ts';
import { webhooks } from '../queues/webhooks.ts';

let producer: Producer | undefined;

/**
 * Has what is due to these webhooks sent soon. Nobody waits for it, and nothing is lost where it fails: what is due is
 * found again within seconds.
 */
export function wakeWebhooks(ids: Iterable<string>): void {
  producer ??= new Producer(queueRedis());
  for (const webhookId of ids) {
    producer.wake(webhooks, 'webhook.send', { webhookId }, webhookId).catch(() => {});
  }
}

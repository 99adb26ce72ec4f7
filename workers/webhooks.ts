import { webhookAttempts } from '../src/infra/metrics.ts';
import { shardFor } from '../src/queues/shards.ts';
import { webhooks } from '../src/queues/webhooks.ts';
import { serve } from '../src/queues/worker.ts';
import { sendDue, stopSending } from '../src/webhooks/deliver.ts';
import { sweepWebhooks } from '../src/webhooks/receivers.ts';
import { wakeWebhooks } from '../src/webhooks/wake.ts';

export default () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stopSending);
  // A share of failures is known only where both counters are there.
  for (const outcome of ['delivered', 'failed']) webhookAttempts.inc({ outcome }, 0);
  return serve(webhooks, {
    // A job of another QUEUE_SHARDS is passed on, so that of one webhook never two run at once.
    'webhook.send': async (data, job) => {
      if (job.shard === shardFor(webhooks, data.webhookId).shard) return sendDue(data, job);
      wakeWebhooks(job.projectId, [data.webhookId]);
      return undefined;
    },
    'webhooks.sweep': sweepWebhooks,
  });
};

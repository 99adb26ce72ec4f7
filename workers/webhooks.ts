import { config } from '../src/config.ts';
import { serve } from '../src/queues/queue.ts';
import { webhooks } from '../src/queues/webhooks.ts';
import { sendDue, stopSending } from '../src/webhooks/deliver.ts';
import { pruneDeliveries, sweepWebhooks } from '../src/webhooks/receivers.ts';

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stopSending);

export default () =>
  serve(
    webhooks,
    {
      'webhook.send': sendDue,
      'webhooks.sweep': sweepWebhooks,
      'webhooks.prune': pruneDeliveries,
    },
    { concurrency: config().WEBHOOKS_CONCURRENCY },
  );

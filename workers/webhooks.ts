import { serve } from '../src/queues/queue.ts';
import { webhooks } from '../src/queues/webhooks.ts';
import { sendDue, stopSending } from '../src/webhooks/deliver.ts';
import { sweepWebhooks } from '../src/webhooks/receivers.ts';

export default () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stopSending);
  return serve(webhooks, {
    'webhook.send': sendDue,
    'webhooks.sweep': sweepWebhooks,
  });
};

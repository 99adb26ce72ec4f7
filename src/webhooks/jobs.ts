import { changes, concerns } from '../audit/rules.ts';
import { maintenance, webhooks, writes } from '../queues/index.ts';
import { HOUR_MS, job, jobsOf, scheduled } from '../queues/job.ts';
import type { WebhookKind } from './kinds.ts';
import type { DeliveryRecord, WebhookRecord, WebhookWithSecret } from './record.ts';
import type { NewWebhook, ResendBody, WebhookBody } from './schema.ts';

export const webhookJobs = jobsOf(writes, {
  /** Secrets are sealed, here and in the results. */
  'webhook.create': job<NewWebhook & { id: string; secret: string }, WebhookWithSecret>({
    audit: changes('webhook'),
  }),
  'webhook.update': job<{ id: string; changes: WebhookBody }, WebhookRecord>({
    audit: changes('webhook'),
  }),
  'webhook.delete': job<{ id: string }, { id: string }>({ audit: changes('webhook') }),
  'webhook.rotate': job<{ id: string; secret: string }, WebhookWithSecret>({
    audit: changes('webhook'),
  }),
  'webhook.test': job<{ id: string; deliveryId: string; kind: WebhookKind }, DeliveryRecord>({
    audit: concerns('webhook'),
  }),
  'webhook.resend': job<{ id: string; deliveryId: string }, DeliveryRecord>({
    audit: concerns('webhook'),
  }),
  'webhook.resendAll': job<ResendBody & { id: string }, { count: number }>({
    audit: concerns('webhook'),
  }),
});

export const deliveryJobs = jobsOf(webhooks, {
  /** Sends what is due to one webhook. At most one such job runs for each. */
  'webhook.send': job<{ webhookId: string }>(),
  /** Finds webhooks to which something is due: retries, and whatever was lost on the way to this queue. */
  'webhooks.sweep': scheduled({ everyMs: 5_000 }),
});

export const webhookMaintenanceJobs = jobsOf(maintenance, {
  'webhooks.prune': scheduled({ everyMs: HOUR_MS }),
});

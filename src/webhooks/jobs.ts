import { maintenance, webhooks, writes } from '../queues/index.ts';
import { changes, concerns, HOUR_MS, job, jobsOf, scheduled } from '../queues/job.ts';
import type { WebhookKind } from './kinds.ts';
import type { DeliveryRecord, WebhookRecord, WebhookWithSecret } from './record.ts';
import type { NewWebhook, ResendBody, WebhookBody } from './schema.ts';

export const webhookJobs = jobsOf(writes, {
  /** Secrets are sealed, here and in results. */
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
  /** Sends the due deliveries of a webhook. At most one such job runs per webhook. */
  'webhook.send': job<{ webhookId: string }>(),
  /** Finds webhooks with due deliveries: retries, and deliveries whose job was lost. */
  'webhooks.sweep': scheduled({ everyMs: 5_000 }),
});

export const webhookMaintenanceJobs = jobsOf(maintenance, {
  'webhooks.prune': scheduled({ everyMs: HOUR_MS }),
});

import { maintenance, webhooks, writes } from '../queues/index.ts';
import { changes, concerns, HOUR_MS, job, jobsOf, scheduled } from '../queues/job.ts';
import type { WebhookKind } from './kinds.ts';
import type { DeliveryRecord, WebhookRecord, WebhookWithSecret } from './record.ts';
import type { NewWebhook, ResendBody, Sealed, WebhookBody } from './schema.ts';

const audited = { audit: changes('webhook') };
const concerning = { audit: concerns('webhook') };

export const webhookJobs = jobsOf(writes, {
  /** Secrets and credentials are sealed, here and in results. */
  'webhook.create': job<Sealed<NewWebhook> & { id: string; secret: string }, WebhookWithSecret>(
    audited,
  ),
  'webhook.update': job<{ id: string; changes: Sealed<WebhookBody> }, WebhookRecord>(audited),
  'webhook.delete': job<{ id: string }, { id: string }>(audited),
  'webhook.rotate': job<{ id: string; secret: string }, WebhookWithSecret>(audited),
  'webhook.test': job<{ id: string; deliveryId: string; kind: WebhookKind }, DeliveryRecord>(
    concerning,
  ),
  'webhook.resend': job<{ id: string; deliveryId: string }, DeliveryRecord>(concerning),
  'webhook.resendAll': job<ResendBody & { id: string }, { count: number }>(concerning),
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

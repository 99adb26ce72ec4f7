import { defineQueue, type Job } from './definition.ts';

/** Deliveries to receivers. What is to be sent is in Postgres; a job only says to whom. */
export const webhooks = defineQueue<{
  /** Sends what is due to one webhook. At most one such job runs for each. */
  'webhook.send': Job<{ webhookId: string }, undefined>;
  /** Finds webhooks to which something is due: retries, and whatever was lost on the way to this queue. */
  'webhooks.sweep': Job<object, undefined>;
}>('webhooks', { attempts: 6, keepFailed: false, isSharded: true });

import type { Config } from '../config.ts';
import { defineQueue, type QueueDefinition } from './definition.ts';
import { HOUR_MS } from './job.ts';

/** Creations, updates and deletions of single records. New records get their ids before the job. */
export const writes = defineQueue('writes', { attempts: 12 });

/** Writes of many records at once, exports, and imports. */
export const bulk = defineQueue('bulk', { attempts: 12 });

/**
 * Visits and abuse reports, from redirect processes to `worker_clicks`. The visitors have been
 * answered, so the visits must be counted: a batch is retried for half a year, at the end every 15
 * s. Visits whose data Postgres refuses become dead letters (`events/ingest/rejected-visits.ts`)
 * and are not retried with the batch.
 */
export const clicks = defineQueue('clicks', { attempts: 1_000_000, isSharded: true });

/**
 * Images of QR codes. The id of a job is the name of its image, so that concurrent requests draw it
 * once; all API processes receive the outcome on their channel.
 */
export const qr = defineQueue('qr', { attempts: 3, keepFailed: false });

/**
 * Images of other hosts. The id of a preview's job is the image's name, so that concurrent requests
 * fetch it once.
 */
export const images = defineQueue('images', { attempts: 2, keepFailed: false });

/**
 * Requests to web pages. The id of a job that reads a page is the page's name, so that concurrent
 * requests read it once.
 */
export const metatags = defineQueue('metatags', { attempts: 2, keepFailed: false });

/** Exchange rates, and the conversion of amounts. */
export const currency = defineQueue('currency', { attempts: 4, maxPauseMs: HOUR_MS });

/** Deliveries of webhooks. The messages are in Postgres; a job only names the webhook. */
export const webhooks = defineQueue('webhooks', {
  attempts: 6,
  keepFailed: false,
  isSharded: true,
});

/**
 * Events for destinations. The events are in Postgres; a job only names the destination.
 */
export const destinations = defineQueue('destinations', { attempts: 6, keepFailed: false });

/**
 * Email. The mails are in Postgres; a job only names one. Mail servers can defer mail for hours, so
 * it is retried for 22 hours.
 */
export const mail = defineQueue('mail', { attempts: 36, maxPauseMs: HOUR_MS });

/**
 * Scheduled work of the service itself. Failed runs are not kept, since the next one is due soon.
 */
export const maintenance = defineQueue('maintenance', { attempts: 4, keepFailed: false });

/** A queue, and how operators run its worker. */
interface QueueRow {
  /** The setting for the number of jobs that a worker process runs at a time. */
  concurrency: Extract<keyof Config, `${string}_CONCURRENCY`>;
  /** Condition for running more processes of its worker, in a table of the README. */
  scaleWhen: string;
  /** Port of its worker's health checks and metrics, if HEALTH_PORT is not set. */
  healthPort: number;
  queue: QueueDefinition;
}

/**
 * Every queue, in the order of the Procfile. The process `worker_<name>` serves the queue with the
 * handlers of `workers/queues.ts`.
 */
export const QUEUES = {
  writes: {
    queue: writes,
    concurrency: 'WRITES_CONCURRENCY',
    healthPort: 3102,
    scaleWhen: '`shortlinks_queue_jobs` of its queue stays above zero',
  },
  bulk: {
    queue: bulk,
    concurrency: 'BULK_CONCURRENCY',
    healthPort: 3103,
    scaleWhen: '`shortlinks_queue_jobs` of its queue stays above zero',
  },
  clicks: {
    queue: clicks,
    concurrency: 'CLICKS_CONCURRENCY',
    healthPort: 3104,
    scaleWhen: '`shortlinks_visit_lag_seconds` grows',
  },
  qr: {
    queue: qr,
    concurrency: 'QR_CONCURRENCY',
    healthPort: 3105,
    scaleWhen: 'rendering QR codes is slow',
  },
  images: {
    queue: images,
    concurrency: 'IMAGES_CONCURRENCY',
    healthPort: 3106,
    scaleWhen: 'fetching the logos of QR codes is slow',
  },
  metatags: {
    queue: metatags,
    concurrency: 'METATAGS_CONCURRENCY',
    healthPort: 3107,
    scaleWhen: 'writes of links in a frame (`rewrite`) are slow, or previews are late',
  },
  currency: {
    queue: currency,
    concurrency: 'CURRENCY_CONCURRENCY',
    healthPort: 3108,
    scaleWhen: 'sales in currencies other than US dollars are slow',
  },
  webhooks: {
    queue: webhooks,
    concurrency: 'WEBHOOKS_CONCURRENCY',
    healthPort: 3109,
    scaleWhen: '`shortlinks_queue_jobs` of its queue stays above zero',
  },
  destinations: {
    queue: destinations,
    concurrency: 'DESTINATIONS_CONCURRENCY',
    healthPort: 3114,
    scaleWhen: '`shortlinks_queue_jobs` of its queue stays above zero',
  },
  mail: {
    queue: mail,
    concurrency: 'MAIL_CONCURRENCY',
    healthPort: 3112,
    scaleWhen: '`shortlinks_queue_jobs` of its queue stays above zero',
  },
  maintenance: {
    queue: maintenance,
    concurrency: 'MAINTENANCE_CONCURRENCY',
    healthPort: 3110,
    scaleWhen: 'one is enough: it runs scheduled jobs',
  },
} satisfies Record<string, QueueRow>;

/** The name of a queue. */
export type QueueName = keyof typeof QUEUES;

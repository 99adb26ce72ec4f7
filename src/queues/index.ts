import type { Config } from '../config.ts';
import { defineQueue, type QueueDefinition } from './definition.ts';
import { HOUR_MS } from './job.ts';

/** Creates, updates and deletions of single records. Ids of new records are made before the job. */
export const writes = defineQueue('writes', { attempts: 12 });

/** Writes of many records at once, exports, and imports. */
export const bulk = defineQueue('bulk', { attempts: 12 });

/**
 * Visits and abuse reports, from redirect processes to `worker_clicks`. Visitors have their answers already, so the visits
 * must be counted: a batch is tried for half a year, in the end every 15 s. Visits that Postgres refuses because of their
 * data become dead letters (`events/ingest/rejected-visits.ts`), and are not retried with the batch.
 */
export const clicks = defineQueue('clicks', { attempts: 1_000_000, isSharded: true });

/**
 * Pictures of QR codes. The id of a job is the name of its picture, so that a picture is not drawn twice at once; all API
 * processes get the outcome on their channel.
 */
export const qr = defineQueue('qr', { attempts: 3, keepFailed: false });

/** Images of other hosts. The id of a job of a preview is the image's name, so that it is not fetched twice at once. */
export const images = defineQueue('images', { attempts: 2, keepFailed: false });

/** Requests to web pages. The id of a job that reads a page is the page's name, so that it is not read twice at once. */
export const metatags = defineQueue('metatags', { attempts: 2, keepFailed: false });

/** Exchange rates, and amounts that are converted by them. */
export const currency = defineQueue('currency', { attempts: 4, longestPauseMs: HOUR_MS });

/** Deliveries of webhooks. The requests to send are in Postgres; a job only names the webhook. */
export const webhooks = defineQueue('webhooks', {
  attempts: 6,
  keepFailed: false,
  isSharded: true,
});

/**
 * Email. The mails are in Postgres; a job only names one. Mail servers ask for minutes of patience, so a mail is tried for
 * 22 hours.
 */
export const mail = defineQueue('mail', { attempts: 36, longestPauseMs: HOUR_MS });

/** Scheduled work of the service itself. A run that failed is not kept: the next one is due soon. */
export const maintenance = defineQueue('maintenance', { attempts: 4, keepFailed: false });

/** A queue and how operators run its worker. */
interface QueueRow {
  /** The setting that says how many jobs one worker process runs at once. */
  concurrency: Extract<keyof Config, `${string}_CONCURRENCY`>;
  /** When to run more processes of its worker: a row of the README's table. */
  scaleWhen: string;
  /** Port of health and metrics of its worker, where HEALTH_PORT is not set. */
  healthPort: number;
  queue: QueueDefinition;
}

/**
 * Every queue, in the order of the Procfile. The process `worker_<name>` serves the queue; `workers/queues.ts` lists its
 * handlers.
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

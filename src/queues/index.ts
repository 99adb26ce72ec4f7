import type { Config } from '../config.ts';
import { bulk } from './bulk.ts';
import { clicks } from './clicks.ts';
import { currency } from './currency.ts';
import type { QueueId } from './definition.ts';
import { images } from './images.ts';
import { mail } from './mail.ts';
import { maintenance } from './maintenance.ts';
import { metatags } from './metatags.ts';
import { qr } from './qr.ts';
import { webhooks } from './webhooks.ts';
import { writes } from './writes.ts';

/** A queue and how operators run its worker. */
interface QueueRow {
  /** The setting that says how many jobs one worker process runs at once. */
  concurrency: Extract<keyof Config, `${string}_CONCURRENCY`>;
  /** When to run more processes of its worker: a row of the README's table. */
  scaleWhen: string;
  /** Port of health and metrics of its worker, where HEALTH_PORT is not set. */
  healthPort: number;
  queue: QueueId;
}

/**
 * Every queue. Its name is that of its file, of its worker (`workers/<name>.ts`) and, after `worker_`, of its line of the
 * Procfile. In the order of the Procfile.
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

import type { Config } from '../src/config.ts';
import { certificateEnd } from '../src/infra/certificate.ts';
import { db } from '../src/infra/db.ts';
import { lastBackup } from '../src/infra/last-backup.ts';
import type { Log } from '../src/infra/log.ts';
import { exportGauge, queueDepth } from '../src/infra/metrics.ts';
import type { QueueId } from '../src/queues/definition.ts';
import { clicks } from '../src/queues/index.ts';
import type { Inspector } from '../src/queues/inspect.ts';

/** Interval at which queues are measured, in ms. */
const QUEUE_MS = 5_000;
/** Interval at which certificates are read, in ms. */
const CERTIFICATES_MS = 3_600_000;
/** Time limit for a server to present its certificate, in ms. */
const CERTIFICATE_MS = 10_000;

/** Exports the depth of a queue and its shards. */
export function watchDepth(inspector: Inspector, queue: QueueId): void {
  repeat(QUEUE_MS, async () => {
    for (const [place, counts] of await inspector.depths(queue)) {
      for (const [state, count] of Object.entries(counts)) {
        queueDepth.set({ queue: place, state }, count);
      }
    }
  });
}

/**
 * Exports the wait of the oldest visit in the queue. While Redis is down, the wait of the last
 * known one keeps growing.
 */
export function watchOldestVisit(inspector: Inspector): void {
  let oldestAt: number | undefined;
  exportGauge(
    {
      name: 'shortlinks_oldest_visit_seconds',
      help: 'Time for which the oldest visit in the queue has waited to be stored, in seconds; 0 where none waits',
    },
    (gauge) => gauge.set(oldestAt === undefined ? 0 : Math.max(0, Date.now() - oldestAt) / 1_000),
  );
  repeat(QUEUE_MS, async () => {
    oldestAt = await inspector.oldestAt(clicks);
  });
}

/**
 * Exports the age of the last backup, once there is one. While Postgres is down, the age of the
 * last known one keeps growing.
 */
export function watchBackups(): void {
  let last: Date | undefined;
  exportGauge(
    {
      name: 'shortlinks_backup_age_seconds',
      help: 'Time since the last complete backup, in seconds; absent before the first',
    },
    async (gauge) => {
      last = await lastBackup(db()).catch(() => last);
      if (last === undefined) gauge.remove();
      else gauge.set((Date.now() - last.getTime()) / 1_000);
    },
  );
}

/**
 * Exports the remaining validity of the certificates of the API and of the default short domain.
 */
export function watchCertificates({ BASE_URL, DEFAULT_SHORT_ORIGIN }: Config, log: Log): void {
  const urls = [...new Set([BASE_URL, DEFAULT_SHORT_ORIGIN])].filter((url) =>
    url.startsWith('https:'),
  );
  const ends = new Map<string, number>();
  exportGauge(
    {
      name: 'shortlinks_certificate_seconds',
      help: 'Time until the certificate of BASE_URL or DEFAULT_SHORT_ORIGIN ends, in seconds; absent where it cannot be read',
      labelNames: ['host'],
    },
    (gauge) => {
      for (const [host, end] of ends) gauge.set({ host }, (end - Date.now()) / 1_000);
    },
  );
  repeat(CERTIFICATES_MS, async () => {
    const reads = urls.map(async (url) => {
      const { host } = new URL(url);
      try {
        ends.set(host, await certificateEnd(url, CERTIFICATE_MS));
      } catch (error) {
        log.warn({ err: error, host }, 'the certificate of an address was not read');
      }
    });
    await Promise.all(reads);
  });
}

/** Measures now and at intervals; a failed measurement is repeated at the next interval. */
function repeat(ms: number, measure: () => Promise<void>): void {
  const run = () => void measure().catch(() => {});
  run();
  setInterval(run, ms).unref();
}

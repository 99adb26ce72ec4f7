import { addReport } from '../src/admin/abuse-reports.ts';
import { rejectedVisitJobs } from '../src/admin/jobs.ts';
import { publishToWebhooks } from '../src/event-records/publish.ts';
import { VisitRecorder } from '../src/events/ingest/record-visits.ts';
import {
  discardRejected,
  findRejected,
  retryRejected,
} from '../src/events/ingest/rejected-visits.ts';
import { eventsStore } from '../src/events/store/index.ts';
import { db } from '../src/infra/db.ts';
import type { Log } from '../src/infra/log.ts';
import { cacheRedis } from '../src/infra/redis.ts';
import { Semaphore } from '../src/infra/semaphore.ts';
import { runIdempotent } from '../src/jobs/run-idempotent.ts';
import { handlers, type JobHandler } from '../src/queues/job.ts';
import { openPlaces } from '../src/visitors/places.ts';
import { countVisits, decodeVisits, type VisitBatch } from '../src/visits/batch.ts';
import { visitJobs } from '../src/visits/jobs.ts';

/**
 * Limit of the visits in memory at once: two transactions are stored while the next two are prepared. A job of a queue
 * that lags has up to 2,000 visits, each of which takes kilobytes once it is read, and hundreds of jobs run at once.
 */
const MAX_VISITS = 20_000;

/** Makes the handlers of the queue `clicks`, which share one recorder of visits. */
export async function clickHandlers(log: Log): Promise<JobHandler[]> {
  const semaphore = new Semaphore(MAX_VISITS);
  const recorder = new VisitRecorder({
    eventsStore: eventsStore(),
    findPlace: await openPlaces(log),
    publish: publishToWebhooks,
    log,
  });
  // Connected before the first visit, which clients may be watching for.
  cacheRedis();
  const visitHandlers = handlers(visitJobs, {
    'visits.record': async (batch, { further = [] }) => {
      const batches = [batch, ...(further as VisitBatch[])];
      const units = batches.reduce((sum, one) => sum + countVisits(one), 0);
      // Decoded only once there is memory for them.
      const record = () => recorder.record(batches.flatMap((one) => decodeVisits(one)));
      await semaphore.run(record, { units });
    },
    'click.track': async (visit, job) => {
      const { clickId } = visit;
      const result = await runIdempotent(job, async () => ({ clickId }));
      // Not in the transaction: a visit with a known click id is not recorded again.
      await recorder.record([Object.assign(visit, result)]);
      return result;
    },
    'report.add': addReport,
  });
  const rejectedVisitHandlers = handlers(rejectedVisitJobs, {
    'rejected.retry': async ({ id }) => {
      await retryRejected(db(), { id }, (visits) => recorder.record(visits));
      // As it is now, so that a second run has the same result.
      return { isStored: (await findRejected(id)) === undefined };
    },
    'rejected.discard': async ({ id }) => {
      await discardRejected(id);
      return { id };
    },
  });
  return [...visitHandlers, ...rejectedVisitHandlers];
}

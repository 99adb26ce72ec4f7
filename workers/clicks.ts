import { addReport } from '../src/admin/abuse-reports.ts';
import { rejectedVisitJobs } from '../src/admin/jobs.ts';
import { publishStored } from '../src/event-records/publish.ts';
import { addLeftOut } from '../src/events/ingest/left-out.ts';
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
 * Maximum number of visits in memory: two transactions are stored while the next two are prepared.
 * When the queue lags, a job has up to 2,000 visits, each of which takes kilobytes once it is
 * decoded, and hundreds of jobs run at once.
 */
const MAX_VISITS = 20_000;

/** Builds the handlers of the queue `clicks`, which share one recorder of visits. */
export async function clickHandlers(log: Log): Promise<JobHandler[]> {
  const semaphore = new Semaphore(MAX_VISITS);
  const recorder = new VisitRecorder({
    eventsStore: eventsStore(),
    findPlace: await openPlaces(log),
    publish: publishStored,
    log,
  });
  // Connected before the first visit, for which clients may be waiting.
  cacheRedis();
  const visitHandlers = handlers(visitJobs, {
    'visits.record': async (batch, { further = [] }) => {
      const batches = [batch, ...(further as VisitBatch[])];
      const units = batches.reduce((sum, one) => sum + countVisits(one), 0);
      // Decoded only once there is memory for the visits.
      const record = () => recorder.record(batches.flatMap((one) => decodeVisits(one)));
      await semaphore.run(record, { units });
    },
    'click.track': async (visit, job) => {
      const { clickId, isExcluded } = visit;
      const result = await runIdempotent(job, async () => ({ clickId }));
      // Outside the transaction: a visit with a known click id is not recorded again.
      if (isExcluded !== true) await recorder.record([Object.assign(visit, result)]);
      return result;
    },
    'leftOut.add': ({ counts }, job) => runIdempotent(job, (trx) => addLeftOut(trx, counts)),
    'report.add': addReport,
  });
  const rejectedVisitHandlers = handlers(rejectedVisitJobs, {
    'rejected.retry': async ({ id }) => {
      await retryRejected(db(), { id }, (visits) => recorder.record(visits));
      // The present state, so that a second run has the same result.
      return { isStored: (await findRejected(id)) === undefined };
    },
    'rejected.discard': async ({ id }) => {
      await discardRejected(id);
      return { id };
    },
  });
  return [...visitHandlers, ...rejectedVisitHandlers];
}

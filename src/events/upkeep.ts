import { handlers } from '../queues/job.ts';
import { retainLeftOut } from './ingest/left-out.ts';
import { eventJobs } from './jobs.ts';
import { eventsStore } from './store/index.ts';
import { ensurePartitions, pruneVisitGuards } from './store/postgres/upkeep.ts';

export const eventHandlers = handlers(eventJobs, {
  'events.partitions': ensurePartitions,
  'events.retain': async (_, { log }) => {
    await eventsStore().retain(log);
    await retainLeftOut(log);
  },
  'events.sum': (_, { log }) => eventsStore().compact(log),
  'visits.prune': pruneVisitGuards,
});

import { handlers } from '../queues/job.ts';
import { eventJobs } from './jobs.ts';
import { eventsStore } from './store/index.ts';
import { ensurePartitions, pruneVisitGuards } from './store/postgres/upkeep.ts';

export const eventHandlers = handlers(eventJobs, {
  'events.partitions': ensurePartitions,
  'events.retain': (_, { log }) => eventsStore().retain(log),
  'events.sum': (_, { log }) => eventsStore().compact(log),
  'visits.prune': pruneVisitGuards,
});

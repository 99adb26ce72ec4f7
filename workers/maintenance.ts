import { pruneReporters } from '../src/admin/abuse-reports.ts';
import { pruneAuditLog } from '../src/audit/prune.ts';
import { checkDomains } from '../src/domains/commands.ts';
import { eventRecords } from '../src/event-records/event-records.ts';
import { sendReports } from '../src/events/report/send.ts';
import { eventsStore } from '../src/events/store/index.ts';
import { rebuildMarked } from '../src/events/store/postgres/rollup-rebuilds.ts';
import { ensurePartitions, pruneVisitGuards } from '../src/events/store/postgres/upkeep.ts';
import { pruneExports } from '../src/exports/commands.ts';
import { pruneImages } from '../src/images/keep.ts';
import { pruneImports, resumeImports } from '../src/imports/commands.ts';
import { pruneInvitations } from '../src/invitations/commands.ts';
import { expireJobs } from '../src/jobs/expire.ts';
import { checkDestinations } from '../src/links/check-destinations.ts';
import { announceExpired } from '../src/links/expire.ts';
import { sendAlerts } from '../src/mail/alerts.ts';
import { pruneMails } from '../src/mail/outbox.ts';
import type { JobContext } from '../src/queues/definition.ts';
import { maintenance } from '../src/queues/maintenance.ts';
import { serve } from '../src/queues/worker.ts';
import { pruneKeptNames } from '../src/short-links/kept-names.ts';
import { pruneSessions } from '../src/users/commands.ts';
import { pruneDeliveries } from '../src/webhooks/receivers.ts';

type Run = (data: object, job: JobContext) => Promise<unknown>;

export default () =>
  serve(maintenance, {
    'events.partitions': ensurePartitions,
    'events.retain': oneAtATime((_, { log }) => eventsStore.retain(log)),
    'events.sum': oneAtATime((_, { log }) => eventsStore.compact(log)),
    'rollups.rebuild': oneAtATime(rebuildMarked),
    'visits.prune': oneAtATime(pruneVisitGuards),
    'jobs.expire': oneAtATime(expireJobs),
    'images.prune': oneAtATime(pruneImages),
    'exports.prune': oneAtATime(pruneExports),
    'imports.resume': oneAtATime(resumeImports),
    'imports.prune': oneAtATime(pruneImports),
    'webhooks.prune': oneAtATime(pruneDeliveries),
    'invitations.prune': oneAtATime(pruneInvitations),
    'audit.prune': oneAtATime(pruneAuditLog),
    'domains.check': oneAtATime(checkDomains),
    'destinations.check': oneAtATime(checkDestinations),
    'sessions.prune': oneAtATime(pruneSessions),
    'names.prune': oneAtATime(pruneKeptNames),
    'links.expire': oneAtATime(announceExpired),
    'alerts.send': oneAtATime(sendAlerts),
    'reports.send': oneAtATime((_, { log }) => sendReports(eventRecords.names, log)),
    'mails.prune': oneAtATime(pruneMails),
    'abuse.prune': oneAtATime(pruneReporters),
  });

/** Skips a run while the one before it goes on: slow runs must not take the slots of all other kinds. */
function oneAtATime(run: Run): (data: object, job: JobContext) => Promise<undefined> {
  let isRunning = false;
  return async (data, job) => {
    if (isRunning) return undefined;
    isRunning = true;
    try {
      await run(data, job);
      return undefined;
    } finally {
      isRunning = false;
    }
  };
}

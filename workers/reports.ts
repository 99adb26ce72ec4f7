import { eventRecords } from '../src/event-records/event-records.ts';
import { reportJobs } from '../src/events/jobs.ts';
import { sendReports } from '../src/events/report/send.ts';
import { handlers } from '../src/queues/job.ts';

/** Binds reports to the names of records, which the folder of events does not know. */
export const reportHandlers = handlers(reportJobs, {
  'reports.send': (_, { log }) => sendReports(eventRecords.names, log),
});

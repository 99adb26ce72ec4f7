import { eventRecords } from '../src/event-records/event-records.ts';
import { reportJobs } from '../src/events/jobs.ts';
import { sendReports } from '../src/events/report/send.ts';
import { handlers } from '../src/queues/job.ts';
import { sendReportMails } from '../src/reports/mail/send.ts';
import { pruneRecipients } from '../src/reports/recipients/commands.ts';
import { reportMailJobs } from '../src/reports/recipients/jobs.ts';

/** Binds reports to the names of records, which the folder of events does not know. */
export const reportHandlers = handlers(reportJobs, {
  'reports.send': (_, { log }) => sendReports(eventRecords.names, log),
});

/** Binds reports by email to these names too. */
export const reportMailHandlers = handlers(reportMailJobs, {
  'sharedReports.mail': (_, { log }) => sendReportMails(eventRecords, log),
  'reportRecipients.prune': pruneRecipients,
});

import type { VisitBatch } from '../visits/batch.ts';
import type { SentReport } from '../visits/report.ts';
import type { Visit } from '../visits/visit.ts';
import { defineQueue, type Job } from './definition.ts';

/**
 * What visitors do, from redirect processes to `worker_clicks`: batches of visits, and reports. Visits were answered, so
 * they must be counted: they are tried for half a year, every 15 s in the end. Those that Postgres refuses because of their
 * data become dead letters (`events/ingest/rejected-visits.ts`), and are not retried with the batch. A call of the API is
 * tried as often as any other.
 */
export const clicks = defineQueue<{
  /** Further batches are added to its job while it waits. Releases before 0.6 added plain visits. */
  'visits.record': Job<VisitBatch | Visit[], undefined>;
  /** A click that another redirect service reports. */
  'click.track': Job<Visit & { clickId: string }, { clickId: string }>;
  /** A visitor reports a link to the operator. */
  'report.add': Job<SentReport, undefined>;
  /** An operator wants a rejected visit to be tried again, or deleted. */
  'rejected.retry': Job<{ id: string }, { isStored: boolean }>;
  'rejected.discard': Job<{ id: string }, { id: string }>;
}>('clicks', {
  attempts: 1_000_000,
  attemptsOf: { 'click.track': 12, 'report.add': 12, 'rejected.retry': 3, 'rejected.discard': 3 },
  extensible: ['visits.record'],
  isSharded: true,
});

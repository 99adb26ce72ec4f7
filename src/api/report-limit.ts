import { LRUCache } from 'lru-cache';
import type { Producer } from '../queues/producer.ts';
import { settingsJobs } from '../settings/jobs.ts';
import type { Caller } from '../workspaces/api-keys.ts';
import { requestLimitOf } from './rate-limit.ts';

const reported = new LRUCache<string, true>({ max: 10_000 });

/**
 * Queues an alert that a workspace has used much of its request limit, once a day per process. Not
 * awaited; errors are ignored.
 */
export function reportLimit(producer: Producer, caller: Caller, percent: 80 | 100): void {
  const { projectId } = caller;
  const at = new Date().toISOString();
  const jobId = `limit_${projectId}_${percent}_${at.slice(0, 10)}`;
  if (reported.has(jobId)) return;
  reported.set(jobId, true);
  const limit = requestLimitOf(caller);
  const data = { limit: 'requestsPerMinute' as const, percent, most: limit, at };
  producer.add(settingsJobs['limit.announce'], data, { jobId, projectId }).catch(() => {});
}

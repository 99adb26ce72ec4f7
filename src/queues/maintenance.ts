import { defineQueue, type Job } from './definition.ts';

/** Work of the service itself, on a schedule. A run that failed is not kept: the next one is due soon. */
export const maintenance = defineQueue<{
  'events.partitions': Job<object, undefined>;
  'events.retain': Job<object, undefined>;
  'events.sum': Job<object, undefined>;
  'rollups.rebuild': Job<object, undefined>;
  'visits.prune': Job<object, undefined>;
  'jobs.expire': Job<object, undefined>;
  'images.prune': Job<object, undefined>;
  'exports.prune': Job<object, undefined>;
  /** Adds jobs of imports that were lost. */
  'imports.resume': Job<object, undefined>;
  'imports.prune': Job<object, undefined>;
  'webhooks.prune': Job<object, undefined>;
  'invitations.prune': Job<object, undefined>;
  'audit.prune': Job<object, undefined>;
  'domains.check': Job<object, undefined>;
  'destinations.check': Job<object, undefined>;
  'sessions.prune': Job<object, undefined>;
  /** Frees names that links and QR codes have left. */
  'names.prune': Job<object, undefined>;
  /** Announces links that have expired. */
  'links.expire': Job<object, undefined>;
  'alerts.send': Job<object, undefined>;
  'reports.send': Job<object, undefined>;
  'mails.prune': Job<object, undefined>;
  /** Forgets who sent abuse reports. */
  'abuse.prune': Job<object, undefined>;
}>('maintenance', { attempts: 4, keepFailed: false });

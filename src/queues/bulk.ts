import type { RefusalData } from '../errors.ts';
import type { BulkItem } from '../links/record.ts';
import type { LinkChanges, NewLink } from '../links/schema.ts';
import { defineQueue, type Job } from './queue.ts';

/** A link of a bulk request: checked and ready, or already refused by its schema. */
export type BulkLink = { link: NewLink; input: unknown } | { refused: RefusalData; input: unknown };

/** Writes of many records at once, and what the service does by itself from time to time. */
export const bulk = defineQueue<{
  'links.create': Job<{ userId: string; links: BulkLink[] }, BulkItem[]>;
  'links.update': Job<{ linkIds: string[]; changes: LinkChanges }, BulkItem[]>;
  'links.delete': Job<{ linkIds: string[] }, { deletedCount: number }>;
  'events.partitions': Job<object, undefined>;
  'visits.prune': Job<object, undefined>;
  'jobs.expire': Job<object, undefined>;
  'domains.check': Job<object, undefined>;
}>('bulk', { attempts: 12 });

import type { ExportResult, NewExport } from '../exports/commands.ts';
import type { BulkLinkItem } from '../links/record.ts';
import type { LinkChanges, NewLink } from '../links/schema.ts';
import type { BulkQrCodeItem } from '../qrcodes/record.ts';
import type { NewQrCode } from '../qrcodes/schema.ts';
import type { BulkInput, EventsFate } from '../records/commands.ts';
import { defineQueue, type Job } from './queue.ts';

/** Writes of many records at once, and what the service does by itself from time to time. */
export const bulk = defineQueue<{
  'links.create': Job<{ userId: string; links: BulkInput<NewLink>[] }, BulkLinkItem[]>;
  'links.update': Job<{ linkIds: string[]; changes: LinkChanges }, BulkLinkItem[]>;
  'links.delete': Job<{ linkIds: string[]; events?: EventsFate }, { deletedCount: number }>;
  'qrcodes.create': Job<{ userId: string; qrcodes: BulkInput<NewQrCode>[] }, BulkQrCodeItem[]>;
  'qrcodes.delete': Job<{ qrcodeIds: string[]; events?: EventsFate }, { deletedCount: number }>;
  'export.write': Job<NewExport, ExportResult>;
  'exports.prune': Job<object, undefined>;
  'events.retain': Job<object, undefined>;
  'events.sum': Job<object, undefined>;
  'images.prune': Job<object, undefined>;
  'events.partitions': Job<object, undefined>;
  'visits.prune': Job<object, undefined>;
  'jobs.expire': Job<object, undefined>;
  'domains.check': Job<object, undefined>;
}>('bulk', { attempts: 12 });

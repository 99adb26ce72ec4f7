import type {
  ExportResult,
  NewExport,
  NewWorkspaceExport,
  WorkspaceExport,
} from '../exports/commands.ts';
import type { NewImport } from '../imports/commands.ts';
import type { ImportRecord } from '../imports/record.ts';
import type { BulkLinkItem } from '../links/record.ts';
import type { LinkChanges, NewLink } from '../links/schema.ts';
import type { BulkQrCodeItem } from '../qrcodes/record.ts';
import type { NewQrCode, QrCodeChanges } from '../qrcodes/schema.ts';
import type { BulkInput } from '../short-links/bulk.ts';
import type { EventsOnDelete } from '../short-links/remove.ts';
import { defineQueue, type Job } from './definition.ts';

/** Writes of many records at once, exports, and imports. */
export const bulk = defineQueue<{
  'links.create': Job<
    { userId: string; links: BulkInput<NewLink>[]; sent?: string | undefined },
    BulkLinkItem[]
  >;
  'links.update': Job<{ linkIds: string[]; changes: LinkChanges }, BulkLinkItem[]>;
  'links.delete': Job<{ linkIds: string[]; events?: EventsOnDelete }, { deletedCount: number }>;
  'qrcodes.create': Job<
    { userId: string; qrcodes: BulkInput<NewQrCode>[]; sent?: string | undefined },
    BulkQrCodeItem[]
  >;
  'qrcodes.update': Job<{ qrcodeIds: string[]; changes: QrCodeChanges }, BulkQrCodeItem[]>;
  'qrcodes.delete': Job<{ qrcodeIds: string[]; events?: EventsOnDelete }, { deletedCount: number }>;
  'export.write': Job<NewExport, ExportResult>;
  'export.workspace': Job<NewWorkspaceExport, WorkspaceExport>;
  'import.create': Job<NewImport, ImportRecord>;
  /**
   * Reads pages of the APIs that imports of the workspace have their links from. At most one such job runs for each
   * workspace. One with the id of an import has waited until its API may be asked again, and wakes that job.
   */
  'import.fetch': Job<{ id?: string }, undefined>;
  /** Does a slice of one of the workspace's imports. At most one such job runs for each workspace. */
  'import.run': Job<object, undefined>;
}>('bulk', { attempts: 12 });

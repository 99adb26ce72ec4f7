import type { Limits } from '../infra/limits.ts';
import { type Narrowed, WorkspaceModel } from '../infra/model.ts';
import type { ChangedName } from '../lookup/publish.ts';
import type { Actor } from '../queues/definition.ts';
import type { ShownChanges } from '../short-links/history-record.ts';
import type { RecordKind } from '../short-links/model.ts';
import type { Replacement } from './replace.ts';
import type { BulkData } from './schema.ts';

/*
 * POST with dryRun ─▶ checking ─▶ checked ─┐ start
 * POST ────────────────────────────────────┴▶ queued ─▶ running ─▶ done ─┬▶ undoing ─▶ undone
 *            cancel, before it is done ─▶ cancelled ─────────────────────┘
 */
export const STATES = [
  'checking',
  'checked',
  'queued',
  'running',
  'done',
  'cancelled',
  'undoing',
  'undone',
] as const;
export type BulkState = (typeof STATES)[number];

/** States in which a worker has slices to process. */
export const OPEN: readonly BulkState[] = ['checking', 'queued', 'running', 'undoing'];

/** A changed record with its fields before and after. */
export interface Example {
  id: string;
  shortLink: string | null;
  changes: ShownChanges;
}

/** Progress of an undo, as numbers of records. */
export interface Undo {
  total: number;
  undone: number;
  /** Records that stay because they were changed again. */
  changed: number;
  /** Records that no longer exist. */
  gone: number;
  /** Records that cannot have their former values again. */
  refused: number;
}

/** A row of `bulk_changes`. */
export class BulkChange extends WorkspaceModel {
  static override readonly tableName = 'bulk_changes';
  static override readonly jsonAttributes = [
    'limits',
    'actor',
    'data',
    'replacement',
    'examples',
    'undo',
    'lookups',
  ];

  declare id: string;
  declare kind: RecordKind;
  declare state: BulkState;
  declare user_id: string;
  /** Limits of the caller who created it; `null` for none. */
  declare limits: Limits | null;
  /** Person for whom the next slices are written. */
  declare actor: Actor | null;
  declare data: BulkData;
  declare replacement: Replacement | null;
  declare total: number;
  /** Number of the next slice. */
  declare slice: number;
  /** Number of records that were processed. */
  declare done: number;
  declare changed: number;
  declare unchanged: number;
  declare refused: number;
  declare examples: Example[] | null;
  declare undo: Undo | null;
  /** Look-up entries to publish if the worker has died since. */
  declare lookups: ChangedName[] | null;
  /** True until the items are deleted. */
  declare has_items: boolean;
  declare created_at: Date;
  /** Time by which the workspace's bulk changes are ordered. */
  declare requested_at: Date;
  declare started_at: Date | null;
  /** Time at which it was checked, done, canceled or undone. */
  declare ended_at: Date | null;

  /**
   * Keeps what was created within the same or narrower limits, such as by a member before they got
   * more folders: those changes concern records inside of the present limits only.
   */
  static override narrow(rows: Narrowed, { folderIds, domains, userId }: Limits): void {
    const isInside = (name: string, values: readonly string[] | undefined) => {
      if (values === undefined) return;
      rows.whereRaw(`bulk_changes.limits -> '${name}' <@ ?::jsonb`, [JSON.stringify(values)]);
    };
    isInside('folderIds', folderIds);
    isInside('domains', domains);
    if (userId !== undefined) rows.whereRaw("bulk_changes.limits ->> 'userId' = ?", [userId]);
  }
}

/** A row of `bulk_change_items`. */
export interface Item {
  position: number;
  record_id: string;
  name: string | null;
  change_id: string | null;
}

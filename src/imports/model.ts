import { WorkspaceModel } from '../infra/model.ts';
import type { KeyProperties } from '../infra/passphrase.ts';
import type { ChangedName } from '../lookup/publish.ts';
import type { FieldName } from './fields.ts';
import type { ColumnFormat } from './formats.ts';
import type { Cursor } from './providers/provider.ts';
import type { Source } from './source.ts';

/*
 * POST /imports/fetch ──▶ fetching ──▶ failed, or as below
 *
 *   POST ?dryRun=true ─▶ checking ─▶ checked ─start─▶ queued ─▶ running ─▶ done
 *   POST ───────────────────────────────────────────────┘          │        │
 *                               cancel, until it is done ─▶ cancelled ─undo─┴─▶ undoing ─▶ undone
 *
 * A change of the options starts another check. In the states of OPEN, a worker has slices to
 * process.
 */
export const STATES = [
  'fetching',
  'failed',
  'checking',
  'checked',
  'queued',
  'running',
  'done',
  'cancelled',
  'undoing',
  'undone',
] as const;
export type ImportState = (typeof STATES)[number];

/** States in which a worker has slices to process. */
export const OPEN = ['checking', 'queued', 'running', 'undoing'] as const;

export const ON_CONFLICT = ['skip', 'update', 'fail-row'] as const;

/** Link field by column name; `null` for an ignored column. */
export type Mapping = Partial<Record<string, FieldName | null>>;

export interface ImportOptions {
  mapping: Mapping;
  /** Domain of rows without one. */
  domain?: string | null | undefined;
  folderId?: string | null | undefined;
  tagIds?: string[] | null | undefined;
  /** Handling of rows whose key or external id belongs to an existing link. */
  onConflict: (typeof ON_CONFLICT)[number];
  /** True if links without a key may get random keys. */
  allowRandomKeys?: boolean | undefined;
}

/** Header of a workspace export, as far as its records need it. */
export interface Archive {
  workspaceId: string;
  defaultDomain: string;
  passwords: KeyProperties | null;
}

/** Properties of a file. */
export interface ImportFile {
  bytes: number;
  encoding: string;
  /** Delimiter of a CSV file; `null` otherwise. */
  delimiter: string | null;
  /** Unique names of the columns. */
  columns: string[];
  /** Set for the export of a workspace. */
  archive?: Archive | undefined;
  /** Fields of the columns of a file without a header, by its first rows. */
  guesses?: Mapping | undefined;
  /** Formats of the columns; absent in imports of version 0.5 and earlier, and of APIs. */
  formats?: ColumnFormat[] | undefined;
  /** Number of rows without a key. */
  keyless?: number | undefined;
  /** True while a check counts the rows without a key again, because the columns have changed. */
  isCounting?: boolean | undefined;
  /** Values that were left out of rows that were imported. */
  leftOut?: LeftOut[] | undefined;
}

/** Values of a column that break a rule and were left out, because links do not depend on them. */
export interface LeftOut extends Fault {
  /** Number of rows, and the first one. */
  rows: number;
  first: number;
}

/** The API from which links are read. */
export interface Remote {
  url: string;
  /** Start of the next page; `null` at the beginning and after the last page. */
  cursor: Cursor | null;
  /** Digest of the first record of the previous page. */
  first?: string;
  /** Total number of links, if the API returns it. */
  total: number | null;
  /** Number of failed attempts at the current page, and the time of the next one (ISO 8601). */
  attempts: number;
  retryAt?: string;
  dryRun: boolean;
  /** Maximum number of rows in the plan. */
  mostRows: number;
}

/** Progress of an undo, as numbers of links. */
export interface Undo {
  total: number;
  deleted: number;
  /** Links that remain because they were changed after the import. */
  changed: number;
  /** Links that were deleted before the undo. */
  gone: number;
  /** Id of the last link that was processed. */
  after: string;
}

/** A row of `imports`. */
export class Import extends WorkspaceModel {
  static override readonly tableName = 'imports';
  static override readonly jsonAttributes = ['options', 'file', 'undo', 'changes', 'remote'];

  declare id: string;
  declare user_id: string;
  /** Name of the file, if the caller sent one. */
  declare name: string | null;
  declare state: ImportState;
  declare source: Source;
  declare options: ImportOptions;
  declare file: ImportFile;
  declare has_file: boolean;
  /** Number of rows in the file. */
  declare rows: number;
  /** Number of the next slice. */
  declare position: number;
  /** Number of rows that were read. */
  declare done: number;
  declare created: number;
  declare updated: number;
  declare skipped: number;
  declare refused: number;
  /** Number of rows that created or changed a link with another short link than the row names. */
  declare renamed: number;
  /** Sealed JSON of a `Preview`. */
  declare preview: string | null;
  declare undo: Undo | null;
  declare changes: ChangedName[] | null;
  declare remote: Remote | null;
  /**
   * Sealed secret, deleted at the end: the token of the API while links are fetched, or the
   * passphrase of a workspace export.
   */
  declare token: string | null;
  /** Reason why the links could not be read. */
  declare failure: string | null;
  declare created_at: Date;
  /** Time by which the workspace's imports are ordered. */
  declare requested_at: Date;
  declare started_at: Date | null;
  /** Time at which the import was checked, done, canceled or undone. */
  declare ended_at: Date | null;
}

/** A row of a file: its number, where the header is 1, and its cells. */
export type FileRow = [row: number, ...cells: string[]];

/** A rule that a row violates. */
export interface Fault {
  /** Name of the column; `null` if no column has the field. */
  column: string | null;
  message: string;
}

import { WorkspaceModel } from '../infra/model.ts';
import type { KeyProperties } from '../infra/passphrase.ts';
import type { ChangedName } from '../lookup/publish.ts';
import type { FieldName } from './fields.ts';
import type { Cursor } from './peers/peer.ts';
import type { Source } from './source.ts';

/*
 *   POST /imports/fetch ──▶ fetching ──▶ failed, or as below
 *
 *   POST ?dryRun=true ──▶ checking ──▶ checked ──start──▶ queued ──▶ running ──▶ done
 *   POST ──────────────────────────────────────────────────┘            │          │
 *                                     cancel, until it is done ──▶ cancelled ──undo─┴──▶ undoing ──▶ undone
 *
 * A change of the options checks again. In the states of OPEN a worker has slices to do.
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

/** States in which a worker has slices to do. */
export const OPEN = ['checking', 'queued', 'running', 'undoing'] as const;

export const ON_CONFLICT = ['skip', 'update', 'fail-row'] as const;

/** Field of a link by name of a column; `null`: the column is ignored. */
export type Mapping = Record<string, FieldName | null>;

export interface ImportOptions {
  mapping: Mapping;
  /** Domain of rows that name none. */
  domain?: string | null | undefined;
  folderId?: string | null | undefined;
  tagIds?: string[] | null | undefined;
  /** Handling of a row whose key or external id a link of the workspace has. */
  onConflict: (typeof ON_CONFLICT)[number];
}

/** The header of the export of a workspace, as far as its records need it. */
export interface Archive {
  workspaceId: string;
  defaultDomain: string;
  passwords: KeyProperties | null;
}

/** The properties of a file. */
export interface ImportFile {
  bytes: number;
  encoding: string;
  /** That of CSV. */
  delimiter: string | null;
  /** Names of the columns, unique. */
  columns: string[];
  /** Of the export of a workspace. */
  archive?: Archive | undefined;
}

/** The API that links are read from. */
export interface Remote {
  url: string;
  /** Where the next page begins; `null`: at the beginning, or after the last one. */
  cursor: Cursor | null;
  /** Digest of the first record of the page before. */
  first?: string;
  /** Links altogether, where the API tells it. */
  total: number | null;
  /** Failed attempts at the present page, and when the next one is due (ISO 8601). */
  attempts: number;
  retryAt?: string;
  dryRun: boolean;
  /** Limit of the plan. */
  mostRows: number;
}

/** Progress of an undo: numbers of links. */
export interface Undo {
  total: number;
  deleted: number;
  /** Kept, because they have been changed since the import. */
  changed: number;
  /** Deleted before the undo. */
  gone: number;
  /** Id of the link up to which it is done. */
  after: string;
}

/** A row of `imports`. */
export class Import extends WorkspaceModel {
  static override readonly tableName = 'imports';
  static override readonly idColumn = ['project_id', 'id'];
  static override readonly jsonAttributes = ['options', 'file', 'undo', 'changes', 'remote'];

  declare id: string;
  declare user_id: string;
  /** Name of the file, where the caller gave one. */
  declare name: string | null;
  declare state: ImportState;
  declare source: Source;
  declare options: ImportOptions;
  declare file: ImportFile;
  declare has_file: boolean;
  /** Rows of the file. */
  declare rows: number;
  /** The next slice of the file. */
  declare position: number;
  /** Rows that were read. */
  declare done: number;
  declare created: number;
  declare updated: number;
  declare skipped: number;
  declare refused: number;
  /** Rows that became links or changed one, and whose short link is another one than before. */
  declare renamed: number;
  /** Sealed JSON of a `Preview`. */
  declare preview: string | null;
  declare undo: Undo | null;
  declare changes: ChangedName[] | null;
  declare remote: Remote | null;
  /** Sealed, and deleted at the end: of the API, while links are fetched; of an export's passwords, the passphrase. */
  declare token: string | null;
  /** Why the links could not be read. */
  declare failure: string | null;
  declare created_at: Date;
  /** When it was put into the order of the workspace's imports. */
  declare requested_at: Date;
  declare started_at: Date | null;
  /** When it was checked, done, cancelled or undone. */
  declare ended_at: Date | null;
}

/** A row of a file: its number, the header's being 1, and its cells. */
export type FileRow = [row: number, ...cells: string[]];

/** A rule that a row breaks. */
export interface Fault {
  /** Name of the column; `null` where none has the field. */
  column: string | null;
  message: string;
}

import { createHash } from 'node:crypto';
import type { Refusal } from '../../errors.ts';
import type { Db } from '../../infra/db.ts';
import type { PassphraseKey } from '../../infra/passphrase.ts';
import type { Publish } from '../../jobs/run-idempotent.ts';
import type { References } from '../../short-links/references.ts';
import type { Archive, Import } from '../model.ts';

/** A record of an archive, with its line number. */
export interface Archived {
  row: number;
  /** Kind and JSON of the record. */
  cells: string[];
  data: Record<string, unknown>;
}

/** Outcome of a record; `renamed`: it was created with another short link than before. */
export type RecordOutcome = 'created' | 'renamed' | 'skipped' | Refusal;

/** Data that imports of all record kinds share. */
export interface ArchiveContext {
  trx: Db;
  importRow: Import;
  archive: Archive;
  /**
   * True for a check: nothing is kept, and records that earlier slices would create are missing.
   */
  isCheck: boolean;
  /** Key of passwords; `undefined` if the passphrase was not sent. */
  key: PassphraseKey | undefined;
  references: References;
  publish: Publish;
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Length of the time prefix in sortable ids, and of the rest. */
const TIME_LENGTH = 8;
const REST_LENGTH = 16;

/**
 * Derives the id of an imported record. It is the same for every import into the workspace and, for
 * ids that sort by time, keeps the order.
 */
export function importedId({ importRow: { project_id } }: ArchiveContext, id: string): string {
  const start = id.indexOf('_') + 1;
  const hash = createHash('sha256').update(`${project_id} ${id}`).digest();
  const letters = Array.from(hash, (byte) => DIGITS.charAt(byte % DIGITS.length)).join('');
  const time = id.startsWith('clk_') ? '' : id.slice(start, start + TIME_LENGTH);
  return id.slice(0, start) + time + letters.slice(0, REST_LENGTH + TIME_LENGTH - time.length);
}

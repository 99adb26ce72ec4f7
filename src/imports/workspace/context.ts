import { createHash } from 'node:crypto';
import type { Refusal } from '../../errors.ts';
import type { Db } from '../../infra/db.ts';
import type { PassphraseKey } from '../../infra/passphrase.ts';
import type { Publish } from '../../jobs/run-idempotent.ts';
import type { References } from '../../short-links/references.ts';
import type { Archive, Import } from '../model.ts';

/** A record of an archive, with its line. */
export interface Archived {
  row: number;
  /** Kind and JSON. */
  cells: string[];
  data: Record<string, unknown>;
}

/** The outcome of a record; `renamed`: it was created, with another short link than before. */
export type Taken = 'created' | 'renamed' | 'skipped' | Refusal;

/** The parts of a slice that all kinds of records need. */
export interface TakeContext {
  trx: Db;
  one: Import;
  archive: Archive;
  /** Nothing is kept, and records that earlier slices would make are missing. */
  isCheck: boolean;
  /** Of passwords; `undefined`: the passphrase was not given. */
  key: PassphraseKey | undefined;
  references: References;
  publish: Publish;
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Length of the time in ids that sort by it, and of what follows. */
const TIME_LENGTH = 8;
const REST_LENGTH = 16;

/**
 * The id that a record of an archive gets: the same whenever it is imported into the workspace, and, where ids sort by
 * time, in the same order as before.
 */
export function importedId({ one: { project_id } }: TakeContext, id: string): string {
  const start = id.indexOf('_') + 1;
  const hash = createHash('sha256').update(`${project_id} ${id}`).digest();
  const letters = Array.from(hash, (byte) => DIGITS.charAt(byte % DIGITS.length)).join('');
  const time = id.startsWith('clk_') ? '' : id.slice(start, start + TIME_LENGTH);
  return id.slice(0, start) + time + letters.slice(0, REST_LENGTH + TIME_LENGTH - time.length);
}

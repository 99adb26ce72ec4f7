import { type Db, rows } from './db.ts';

/** Row of the table `installation` with the time of the last backup. */
const NAME = 'lastBackup';
/** Time limit of the database query, in ms. */
const ANSWER_MS = 1_000;

/**
 * Returns the time of the last backup; `undefined` if there was none.
 *
 * @throws Error when the database does not answer
 */
export async function lastBackup(db: Db): Promise<Date | undefined> {
  const sql = 'SELECT value FROM installation WHERE name = ?';
  const [row] = await rows<{ value: string }>(db, sql, [NAME], ANSWER_MS);
  return row === undefined ? undefined : new Date(row.value);
}

/**
 * Records that a backup was made.
 *
 * @throws Error when the database has a schema from before 0.5, or accepts no writes
 */
export async function recordBackup(db: Db, at: Date): Promise<void> {
  await db('installation')
    .insert({ name: NAME, value: at.toISOString() })
    .onConflict('name')
    .merge();
}

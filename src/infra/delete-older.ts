import { db, execute } from './db.ts';

/** Maximum number of rows that one statement deletes, so that none holds its locks for long. */
const CHUNK = 10_000;

/** Rows of a table that are deleted at an age. */
interface Retention {
  table: string;
  /** Columns of the primary key. */
  key: readonly string[];
  /** Column with the time from which the age counts. */
  since: string;
  days: number;
}

/** Deletes the rows of a table that are older than their retention. */
export async function deleteOlder({ table, key, since, days }: Retention): Promise<void> {
  const columns = key.join(', ');
  for (;;) {
    const deleted = await execute(
      db(),
      `DELETE FROM ${table} WHERE (${columns}) IN
         (SELECT ${columns} FROM ${table} WHERE ${since} < now() - make_interval(days => ?) LIMIT ?)`,
      [days, CHUNK],
    );
    if (deleted < CHUNK) return;
  }
}

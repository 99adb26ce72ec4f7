import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { type Db, db, execute } from '../../../infra/db.ts';

/** Maximum wait for a lock, in ms; meanwhile, all later statements on the table wait too. */
const LOCK_MS = 100;
const TRIES = 30;
const PAUSE_MS = 300;
/** SQLSTATE lock_not_available. */
const TIMED_OUT = '55P03';

/**
 * Runs a transaction that locks tables in which visits are stored. If another transaction holds the
 * lock, such as an export, this one gives up and starts again a little later, so that visits can be
 * stored in between.
 *
 * @throws DatabaseError 55P03 when the lock was not available for about ten seconds
 */
export async function withShortLocks<T>(work: (trx: Db) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await db().transaction(async (trx) => {
        await execute(trx, `SET LOCAL lock_timeout = ${LOCK_MS}`);
        return work(trx);
      });
    } catch (error) {
      const isTimeout = error instanceof pg.DatabaseError && error.code === TIMED_OUT;
      if (!isTimeout || tries === TRIES) throw error;
      await wait(PAUSE_MS * (0.5 + Math.random()));
    }
  }
}

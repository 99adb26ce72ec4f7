import { Refusal } from '../errors.ts';
import { type Db, execute } from './db.ts';

/**
 * Refuses another record if the limit is reached. Concurrent callers wait until the transaction
 * ends, so that the limit is not exceeded.
 *
 * @param what name of the set that is counted
 * @throws Refusal `unprocessable_entity`
 */
export async function refuseOverfull(
  trx: Db,
  what: string,
  { count, max, message }: { count: () => Promise<number>; max: number; message: string },
): Promise<void> {
  await execute(trx, 'SELECT pg_advisory_xact_lock(hashtext(?))', [what]);
  if ((await count()) >= max) throw new Refusal('unprocessable_entity', message);
}

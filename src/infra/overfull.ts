import { Refusal } from '../errors.ts';
import { type Db, execute } from './db.ts';

/**
 * Refuses one more record where there are as many as there may be. Others that ask the same wait until the transaction
 * ends, so that no two become the last one.
 *
 * @param what names the set that is counted
 * @throws Refusal `unprocessable_entity`
 */
export async function refuseOverfull(
  trx: Db,
  what: string,
  { count, most, message }: { count: () => Promise<number>; most: number; message: string },
): Promise<void> {
  await execute(trx, 'SELECT pg_advisory_xact_lock(hashtext(?))', [what]);
  if ((await count()) >= most) throw new Refusal('unprocessable_entity', message);
}

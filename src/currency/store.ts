import { type Db, execute, rows } from '../infra/db.ts';
import type { Rates } from './convert.ts';
import { FIRST_RATES } from './first-rates.ts';

/** Stores rates, unless the stored ones are newer. @returns true if they were stored */
export async function keepRates(trx: Db, { day, source, perBase }: Rates): Promise<boolean> {
  await execute(trx, 'LOCK TABLE rates IN SHARE ROW EXCLUSIVE MODE');
  const [row] = await rows<{ isNewer: boolean }>(
    trx,
    'SELECT EXISTS (SELECT 1 FROM rates WHERE day > ?) AS "isNewer"',
    [day],
  );
  if (row!.isNewer) return false;
  await trx('rates').delete();
  await trx('rates').insert(
    [...perBase].map(([currency, per_base]) => ({ currency, per_base, day, source })),
  );
  return true;
}

/** Stores the first rates of a new installation. Runs with the migrations. */
export async function ensureFirstRates(connection: Db): Promise<void> {
  const there = (await connection('rates').first('currency')) as object | undefined;
  if (there === undefined) await connection.transaction((trx) => keepRates(trx, FIRST_RATES));
}

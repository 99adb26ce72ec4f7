import knexFactory, { type Knex } from 'knex';
import pg from 'pg';
import { config } from '../config.ts';

export type { Knex };
/** A connection, or a transaction on one. */
export type Db = Knex | Knex.Transaction;

// Counters are 64-bit; they stay far below 2^53, and callers want numbers.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

let shared: Knex | undefined;

/** Opens a pool. Most callers want `db()`. */
export function connectDb(url: string, pool: number, applicationName: string): Knex {
  return knexFactory({
    client: 'pg',
    connection: { connectionString: url, application_name: applicationName },
    pool: { min: 0, max: pool },
    acquireConnectionTimeout: 5_000,
  });
}

/** The pool of this process, opened on first use. */
export function db(): Knex {
  shared ??= connectDb(config().DATABASE_URL, config().DATABASE_POOL, process.title);
  return shared;
}

/** Closes the pool, when it was opened. */
export async function closeDb(): Promise<void> {
  await shared?.destroy();
  shared = undefined;
}

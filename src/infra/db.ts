import { AsyncLocalStorage } from 'node:async_hooks';
import knexFactory, { type Knex } from 'knex';
import pg from 'pg';
import { config } from '../config.ts';
import { arrayLiteral } from './array-literal.ts';
import { type Limits, pooledClient } from './pooled-client.ts';
import { postgresOptions, readPostgresUrl } from './postgres-url.ts';
import { type PoolEvents, Primary } from './primary.ts';

export type { Knex };
/** A connection, or a transaction on one. */
export type Db = Knex | Knex.Transaction;

// Callers expect numbers, which are exact up to 2^53 - 1. Larger values become this limit instead
// of a wrong number.
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text);
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(value, Number.MAX_SAFE_INTEGER));
});

/**
 * Builds SQL of a sum as a bigint. Larger sums become the largest bigint, because an overflow would
 * fail at every attempt.
 */
export const bigintSql = (sum: string): string => `least(${sum}, 9223372036854775807)::bigint`;

// One per process: all queries share its connections, and `closeDb` forgets it.
let shared: Knex | undefined;

/**
 * Opens a pool. Most callers use `db()` instead.
 *
 * @throws ConfigError when the URL requires TLS in a way that is not possible
 */
export function connectDb(
  url: string,
  pool: number,
  applicationName: string,
  limits: Limits = {},
): Knex {
  const target = readPostgresUrl(url);
  const primary = target.mustWrite ? new Primary(target) : undefined;
  const settings = { application_name: applicationName, ...(target.isPooled ? {} : limits) };
  const knex = knexFactory({
    client: 'pg',
    // Knex calls this until it succeeds once.
    connection: async () => ({
      ...(await (primary?.connection() ?? postgresOptions(target))),
      ...settings,
    }),
    pool: { min: 0, max: pool, ...primary?.poolOptions },
    acquireConnectionTimeout: CONNECTION_MS,
    compileSqlOnError: false,
    // The driver prints errors that callers receive as well.
    log: { warn() {} },
  });
  if (target.isPooled) (knex.client as Knex.Client).driver = { Client: pooledClient(limits) };
  primary?.watch((knex.client as Knex.Client).pool as unknown as PoolEvents);
  explainTimeouts(knex.client as Knex.Client, pool);
  // Called before the error is thrown, in transactions too.
  knex.on('query-error', (error: QueryError, { sql }: { sql: string }) => {
    removeData(error, sql);
    if (error.code === '25006') primary?.doubt();
  });
  return knex;
}

/** Time limit of the wait for a connection, in ms. */
const CONNECTION_MS = 5_000;

/** A query got no connection in time, and was not run. */
export class NoConnection extends Error {
  /** @param size number of connections of the process */
  constructor(size: number) {
    super(
      `no connection to Postgres within ${CONNECTION_MS / 1_000} s: it does not answer, or this process uses all of its ${size}`,
    );
    this.name = 'NoConnection';
  }
}

/**
 * Replaces the error of a query that gets no connection in time; Knex's message blames forgotten
 * transactions.
 */
function explainTimeouts(client: Knex.Client, size: number): void {
  const acquire = client.acquireConnection.bind(client) as () => Promise<unknown>;
  client.acquireConnection = () =>
    acquire().catch((error: unknown) => {
      if (!(error instanceof knexFactory.KnexTimeoutError)) throw error;
      throw new NoConnection(size);
    });
}

/** An error of Postgres or of the connection to it. */
export type QueryError = Error & {
  code?: string;
  detail?: string;
  where?: string;
  hint?: string;
  internalQuery?: string;
};

/** Maximum length of a statement in an error message, in characters. */
const SHOWN_SQL = 300;
/** Class of errors whose messages quote values (PostgreSQL, appendix A). */
const DATA_EXCEPTION = '22';

/**
 * Removes the data of a statement from its error, which is logged and stored with failed jobs. The
 * message, code, constraint and the statement without its values remain.
 */
export function removeData(error: QueryError, sql: string): void {
  const prefix = `${sql} - `;
  let message = error.message.startsWith(prefix)
    ? error.message.slice(prefix.length)
    : error.message;
  if (error.code?.startsWith(DATA_EXCEPTION) === true) message = message.replace(/".*"/s, '"…"');
  const frames = error.stack?.slice(error.stack.indexOf('\n    at ')) ?? '';
  error.message = `${message} (in: ${sql.slice(0, SHOWN_SQL)})`;
  error.stack = `${error.name}: ${error.message}${frames}`;
  // These fields contain rows, key values or lines of JSON.
  for (const field of ['detail', 'where', 'hint', 'internalQuery'] as const) delete error[field];
}

/** Connection settings of a process for Postgres. */
export interface DatabaseUse {
  /** Name of the process, which Postgres shows as `application_name`. */
  name: string;
  /** Size of the pool as a multiple of DATABASE_POOL; 1 by default. */
  pools?: number | undefined;
  /** Timeouts of statements; none by default. */
  limits?: Limits | undefined;
}

/** Set once, before the first query; programs that do not set it are scripts. */
let use: DatabaseUse = { name: 'script' };

/** Sets the connection settings of this process. */
export function useDatabaseAs(settings: DatabaseUse): void {
  use = settings;
}

/** Returns the name under which Postgres shows this process or one of its connections. */
export const applicationName = (connection = ''): string => `${use.name}${connection}`;

/** Opens a pool with the size and limits of this process. */
export function openPool(url: string): Knex {
  const { pools = 1, limits } = use;
  return connectDb(url, pools * config().DATABASE_POOL, applicationName(), limits);
}

/** The pool of the standby that answers the current read. */
const readers = new AsyncLocalStorage<Knex>();

/** Runs `read` with `db()` set to the given pool. */
export const readFrom = <T>(pool: Knex, read: () => Promise<T>): Promise<T> =>
  readers.run(pool, read);

/**
 * Returns the pool of this process, opened on first use, or the standby's pool during a read from a
 * standby.
 */
export function db(): Knex {
  const reader = readers.getStore();
  if (reader !== undefined) return reader;
  shared ??= openPool(config().DATABASE_URL);
  return shared;
}

type Scalar = string | number | boolean | Date | Buffer | null;
/** A value for a placeholder. A list becomes a Postgres array. */
export type SqlValue = Scalar | readonly Scalar[];
/** Values in the order of the placeholders `?`, or by name for placeholders `:name`. */
export type SqlBindings = readonly SqlValue[] | Readonly<Record<string, SqlValue>>;

/**
 * Runs a statement and resolves to its rows, which have the columns that the statement names.
 *
 * @param timeoutMs time limit of the statement; 0 uses the limit of the connection
 */
export async function rows<Row extends object>(
  connection: Db,
  sql: string,
  bindings?: SqlBindings,
  timeoutMs = 0,
): Promise<Row[]> {
  return (await run<Row>(connection, sql, bindings).timeout(timeoutMs)).rows;
}

/**
 * Runs a statement like {@link rows} that Postgres parses and plans once per connection, which takes
 * a tenth of a bulk write otherwise. Only for insertions, and for statements that read no table of
 * links, events or jobs: Postgres plans again after each ANALYZE, but until then the plan for the
 * first rows of a table would scan it when it is large.
 *
 * @param name of the statement; the same text must have the same name
 */
export async function preparedRows<Row extends object>(
  connection: Db,
  name: string,
  sql: string,
  bindings: SqlBindings,
): Promise<Row[]> {
  return (await run<Row>(connection, sql, bindings).options({ name })).rows;
}

/** Runs a statement without returning rows, and resolves to the number of changed rows. */
export async function execute(
  connection: Db,
  sql: string,
  bindings?: SqlBindings,
): Promise<number> {
  return (await run(connection, sql, bindings)).rowCount ?? 0;
}

const run = <Row extends object>(connection: Db, sql: string, bindings?: SqlBindings) =>
  // Knex has separate overloads for lists and objects, and declares lists as mutable although it
  // does not change them.
  connection.raw<pg.QueryResult<Row>>(sql, withLiterals(bindings) as Knex.ValueDict);

/** Formats the lists among bindings as array literals. */
function withLiterals(bindings?: SqlBindings): SqlBindings | undefined {
  if (bindings === undefined) return undefined;
  const literal = (value: unknown) =>
    Array.isArray(value) ? (arrayLiteral(value) ?? value) : value;
  if (Array.isArray(bindings)) return bindings.map(literal) as SqlBindings;
  return Object.fromEntries(
    Object.entries(bindings).map(([name, value]) => [name, literal(value)]),
  ) as SqlBindings;
}

/** Calls a function after a transaction is committed; never if it is rolled back. */
export function afterCommit(trx: Db, then: () => void): void {
  if ('executionPromise' in trx) void trx.executionPromise.then(then, () => {});
  else then();
}

/** Number of connections for looking up API keys, so that this does not wait for heavy queries. */
const KEYS_POOL = 3;

// As `shared`.
let keys: Knex | undefined;

/** Returns the pool for looking up API keys, opened on first use. */
export function keysDb(): Knex {
  keys ??= connectDb(config().DATABASE_URL, KEYS_POOL, applicationName('_keys'), {
    statement_timeout: 5_000,
  });
  return keys;
}

/**
 * Returns true if a statement was cancelled because it, or its wait for a lock, took too long
 * (PostgreSQL, appendix A).
 */
export const isTimeout = (error: unknown): boolean =>
  codeOf(error) === '57014' || isLockTimeout(error);

/**
 * Returns true if a statement was cancelled because of its wait for a lock, so that a retry may
 * succeed.
 */
export const isLockTimeout = (error: unknown): boolean => codeOf(error) === '55P03';

/** Returns true if a transaction was ended because it and another one waited for each other. */
export const isDeadlock = (error: unknown): boolean => codeOf(error) === '40P01';

function codeOf(error: unknown): unknown {
  const { code, nativeError } = (error ?? {}) as { code?: unknown; nativeError?: unknown };
  return nativeError === undefined ? code : codeOf(nativeError);
}

/** Closes all open pools. */
export async function closeDb(): Promise<void> {
  await Promise.all([shared?.destroy(), keys?.destroy()]);
  shared = undefined;
  keys = undefined;
}

import pg from 'pg';

/**
 * SQLSTATE classes with which Postgres reports that it cannot work now: connection exception,
 * insufficient resources, operator intervention (a shutdown, a cancelled statement), system error,
 * internal error; and the code of a write on a server that has become a standby (PostgreSQL,
 * appendix A).
 */
const UNABLE = /^(08|25006|53|57|58|XX)/;
/**
 * SQLSTATE classes with which Postgres refuses the data: cardinality violation, data exception,
 * integrity constraint violation, program limit exceeded (such as a value that is too long for its
 * index).
 */
const DATA = /^(21|22|23|54)/;

/**
 * Returns true if a query failed because Postgres is unreachable or cannot work, so that other
 * queries will fail too. This includes every error that is not an answer of Postgres: socket
 * errors, pool errors and timeouts.
 */
export function isOutage(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || UNABLE.test(error.code ?? '');
}

/**
 * Returns true if a query failed because of a value in it, so that other queries are not affected.
 */
export function isDataError(error: unknown): boolean {
  return error instanceof pg.DatabaseError && DATA.test(error.code ?? '');
}

/**
 * Returns true for data errors that recur at every attempt. A violated constraint (class 23) may be
 * a race that is over by then.
 */
export function isValueError(error: unknown): boolean {
  return isDataError(error) && !(error as pg.DatabaseError).code!.startsWith('23');
}

/** Message of a refused request whose value reached the database. */
export const VALUE_REFUSED = 'The request has a value that the database refuses';

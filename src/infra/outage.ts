import pg from 'pg';

/**
 * Classes of SQLSTATE with which Postgres says that it cannot work now: connection exception, insufficient resources,
 * operator intervention (a shutdown, a cancelled statement), system error, internal error. And the code of a write on a server
 * that is a standby by now.
 * Source: PostgreSQL, appendix A.
 */
const UNABLE = /^(08|25006|53|57|58|XX)/;
/**
 * Classes with which it refuses what was sent: cardinality violation, data exception, integrity constraint violation,
 * program limit exceeded (a value that is too long for its index, say).
 */
const DATA = /^(21|22|23|54)/;

/**
 * True when a query failed because Postgres cannot be reached or cannot work, so that other queries will fail too. All
 * that is not an answer of Postgres counts: errors of sockets, of the pool, and timeouts.
 */
export function isOutage(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || UNABLE.test(error.code ?? '');
}

/** True when a query failed because of a value in it: no other query is affected. */
export function isDataError(error: unknown): boolean {
  return error instanceof pg.DatabaseError && DATA.test(error.code ?? '');
}

/** Data errors that are the same at every attempt: a violated constraint (class 23) may be a race that is over by then. */
export function isValueError(error: unknown): boolean {
  return isDataError(error) && !(error as pg.DatabaseError).code!.startsWith('23');
}

/** Message of the refusal of a request whose value got as far as the database. */
export const VALUE_REFUSED = 'The request has a value that the database refuses';

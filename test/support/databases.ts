import { config } from '../../src/config.ts';
import { db } from '../../src/infra/db.ts';
import { singleHosts } from '../../src/infra/url-hosts.ts';

/** The URL of another database of the same server; of several servers, of the first. */
export function databaseUrlOf(url: string, name: string): string {
  const other = new URL(singleHosts(url)[0]);
  other.pathname = `/${name}`;
  return other.href;
}

/** Makes an empty database on the server of the service. @returns its URL */
export async function createDatabase(name: string): Promise<string> {
  await dropDatabase(name);
  await db().raw('CREATE DATABASE ??', [name]);
  return databaseUrlOf(config().DATABASE_URL, name);
}

/**
 * Ends the sessions of clients of a database, and removes it. `WITH (FORCE)` would also end an autovacuum worker, which
 * needs a superuser; without it, the server ends the worker itself.
 */
export async function dropDatabase(name: string): Promise<void> {
  await db().raw(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ? AND backend_type = 'client backend'",
    [name],
  );
  await db().raw('DROP DATABASE IF EXISTS ??', [name]);
}

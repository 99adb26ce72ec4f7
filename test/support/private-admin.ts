import { readFileSync } from 'node:fs';
import path from 'node:path';
import { connectDb, execute } from '../../src/infra/db.ts';

const passwordOf = (dataDir: string, file: string): string =>
  readFileSync(path.join(dataDir, `${file}.password`), 'utf8').trim();

/** Returns the superuser's URL of the private Postgres in `dataDir`. */
export function postgresAdminUrl(databaseUrl: string, dataDir: string): string {
  const url = new URL(databaseUrl);
  url.username = 'postgres';
  url.password = passwordOf(dataDir, 'postgres-superuser');
  return url.href;
}

/** Returns the administrator's URL of the private Redis in `dataDir`. */
export function redisAdminUrl(redisUrl: string, dataDir: string): string {
  const url = new URL(redisUrl);
  url.username = 'admin';
  url.password = passwordOf(dataDir, 'redis-admin');
  return url.href;
}

/** Allows the role of the service to create databases, as tests do. */
export async function allowDatabases(databaseUrl: string, dataDir: string): Promise<void> {
  const admin = connectDb(postgresAdminUrl(databaseUrl, dataDir), 1, 'test');
  await execute(admin, 'ALTER ROLE shortlinks CREATEDB');
  await admin.destroy();
}

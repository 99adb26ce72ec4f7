import { readFileSync } from 'node:fs';
import path from 'node:path';
import { connectDb, execute } from '../../src/infra/db.ts';

const passwordOf = (dataDir: string, file: string): string =>
  readFileSync(path.join(dataDir, `${file}.password`), 'utf8').trim();

/** The URL of the private Postgres of `dataDir` for its superuser. */
export function postgresAdminUrl(databaseUrl: string, dataDir: string): string {
  const url = new URL(databaseUrl);
  url.username = 'postgres';
  url.password = passwordOf(dataDir, 'postgres-superuser');
  return url.href;
}

/** The URL of the private Redis of `dataDir` for its administrator. */
export function redisAdminUrl(redisUrl: string, dataDir: string): string {
  const url = new URL(redisUrl);
  url.username = 'admin';
  url.password = passwordOf(dataDir, 'redis-admin');
  return url.href;
}

/** Lets the role of the service make databases, as tests do. */
export async function allowDatabases(databaseUrl: string, dataDir: string): Promise<void> {
  const admin = connectDb(postgresAdminUrl(databaseUrl, dataDir), 1, 'test');
  await execute(admin, 'ALTER ROLE shortlinks CREATEDB');
  await admin.destroy();
}

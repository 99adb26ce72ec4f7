import { Redis } from 'ioredis';
import pg from 'pg';
import { postgresOptions, readPostgresUrl } from '../../src/infra/postgres-url.ts';
import { readRedisUrl } from '../../src/infra/redis-url.ts';
import { SetupError } from './setup-error.ts';

const WAIT_MS = 5_000;

/** @throws SetupError when the operator's Postgres cannot be used */
export async function checkPostgres(url: string): Promise<void> {
  const target = readPostgresUrl(url);
  let client: pg.Client | undefined;
  try {
    const options = await postgresOptions(target);
    client = new pg.Client({ ...options, connectionTimeoutMillis: WAIT_MS });
    client.on('error', () => {});
    await client.connect();
  } catch (error) {
    throw unreachable('DATABASE_URL', 'Postgres', url, '5432', error);
  } finally {
    await client?.end().catch(() => {});
  }
}

/** @throws SetupError when the operator's Redis cannot be used */
export async function checkRedis(url: string): Promise<void> {
  const target = readRedisUrl(url);
  const redis = new Redis(target.url, {
    ...(target.tls === undefined ? {} : { tls: target.tls }),
    lazyConnect: true,
    protocol: 2,
    connectTimeout: WAIT_MS,
    commandTimeout: WAIT_MS,
    enableReadyCheck: false,
    retryStrategy: () => null,
  });
  let cause: unknown;
  redis.on('error', (error) => {
    cause ??= error;
  });
  try {
    await redis.connect();
    await redis.ping();
  } catch (error) {
    throw unreachable('REDIS_URL', 'Redis', url, '6379', cause ?? error);
  } finally {
    redis.disconnect();
  }
}

function unreachable(
  variable: string,
  title: string,
  url: string,
  usualPort: string,
  error: unknown,
): SetupError {
  // The URL itself holds the password.
  const { hostname, port } = new URL(url);
  const { code, message } = error as Error & { code?: string };
  return new SetupError(
    `${variable}: cannot reach ${title} at ${hostname}:${port || usualPort} (${message || code}). Start it, correct the variable, or unset it to use a private server.`,
  );
}

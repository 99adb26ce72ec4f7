import pg from 'pg';
import { ConfigError } from '../../src/config.ts';
import { postgresOptions, readPostgresUrl } from '../../src/infra/postgres-url.ts';
import { checkRedisServer, type RedisVariable } from '../../src/infra/redis-server.ts';
import { singleHosts } from '../../src/infra/url-hosts.ts';
import { SetupError } from './setup-error.ts';

const WAIT_MS = 5_000;

/** Checks the operator's Postgres. @throws SetupError if it cannot be used */
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

/** Checks the operator's Redis. @throws SetupError if it cannot be used */
export async function checkRedis(variable: RedisVariable, url: string): Promise<void> {
  try {
    await checkRedisServer(variable, url, WAIT_MS);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw unreachable(variable, 'Redis', url, '6379', error);
  }
}

/** Returns hosts and ports of a URL for messages, since the URL itself contains the password. */
export function hostsOf(url: string, usualPort: string): string {
  const hosts = singleHosts(url).map((one) => {
    const { hostname, port } = new URL(one);
    return `${hostname}:${port || usualPort}`;
  });
  return hosts.join(', ');
}

function unreachable(
  variable: string,
  title: string,
  url: string,
  usualPort: string,
  error: unknown,
): SetupError {
  const { code, message } = error as Error & { code?: string };
  return new SetupError(
    `${variable}: cannot reach ${title} at ${hostsOf(url, usualPort)} (${message || code}). Start it, correct the variable, or unset it to use a private server.`,
  );
}

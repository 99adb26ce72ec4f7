import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import { ConfigError } from '../config.ts';

/** A connection with TLS and its options, or `false` for one without. */
type Tls = ConnectionOptions | false;

/** A `DATABASE_URL` as the driver takes it. */
export interface PostgresTarget {
  connectionString: string;
  /** What is tried in turn; absent where the URL has no `sslmode`. */
  tls?: [Tls, ...Tls[]];
  /** Whether the URL leads to a pgbouncer with `pool_mode=transaction`. */
  isPooled: boolean;
}

/** Parameters that the driver would read with another meaning than libpq. */
const PARAMETERS = ['sslmode', 'ssl', 'sslrootcert', 'sslcert', 'sslkey', 'sslpassword'] as const;
/** The file of libpq that holds the certificates of trusted authorities where no other is named. */
const DEFAULT_ROOT = path.join(homedir(), '.postgresql', 'root.crt');
/** Authorities that Node trusts, instead of those of a file. */
const SYSTEM = 'system';

type Given = Partial<Record<(typeof PARAMETERS)[number], string>>;

/** The modes of libpq (PostgreSQL, "SSL Support"), and `no-verify` of the driver. */
const MODES: Readonly<Record<string, (given: Given, own: ConnectionOptions) => [Tls, ...Tls[]]>> = {
  disable: () => [false],
  allow: (_, own) => [false, unverified(own)],
  prefer: (_, own) => [unverified(own), false],
  require(given, own) {
    const ca = authorities(given);
    return [ca === undefined ? unverified(own) : { ...own, ca, checkServerIdentity: anyName }];
  },
  'verify-ca'(given, own) {
    const ca = authorities(given);
    if (ca === undefined) {
      throw new ConfigError(
        `DATABASE_URL: sslmode=verify-ca needs sslrootcert, or the file ${DEFAULT_ROOT}`,
      );
    }
    return [{ ...own, ca, checkServerIdentity: anyName }];
  },
  'verify-full'(given, own) {
    const ca = authorities(given);
    return [{ ...own, ...(ca === undefined ? {} : { ca }) }];
  },
  'no-verify': (_, own) => [unverified(own)],
};

const unverified = (own: ConnectionOptions): Tls => ({ ...own, rejectUnauthorized: false });
const anyName = (): undefined => undefined;

/** Certificates of trusted authorities; `undefined` where the URL names none, or those of Node. */
function authorities({ sslmode, sslrootcert }: Given): Buffer | undefined {
  if (sslrootcert === SYSTEM) {
    if (sslmode === 'verify-full') return undefined;
    throw new ConfigError(
      'DATABASE_URL: sslrootcert=system needs sslmode=verify-full, since anyone can get a certificate of a public authority',
    );
  }
  if (sslrootcert !== undefined) return contentsOf('sslrootcert', sslrootcert);
  return existsSync(DEFAULT_ROOT) ? contentsOf('sslrootcert', DEFAULT_ROOT) : undefined;
}

function contentsOf(parameter: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new ConfigError(`DATABASE_URL: ${parameter}: ${(error as Error).message}`);
  }
}

/**
 * Reads a URL of Postgres, whose `sslmode` and files mean what they mean to libpq. One difference: `verify-full` without
 * a file of authorities trusts those of Node, where libpq refuses to connect. `pool_mode` is that of a pgbouncer in
 * front of the server.
 *
 * @throws ConfigError for a mode that does not exist, or a file that cannot be read
 */
export function readPostgresUrl(text: string): PostgresTarget {
  const url = new URL(text);
  const { searchParams } = url;
  const poolMode = searchParams.get('pool_mode') ?? 'session';
  if (poolMode !== 'session' && poolMode !== 'transaction') {
    throw new ConfigError('DATABASE_URL: pool_mode must be one of session, transaction');
  }
  searchParams.delete('pool_mode');
  const isPooled = poolMode === 'transaction';
  const mode = searchParams.get('sslmode');
  // A path of a Unix socket: libpq ignores the mode too.
  const isSocket = (searchParams.get('host') ?? decodeURIComponent(url.hostname)).startsWith('/');
  if (mode === null || isSocket) {
    searchParams.delete('sslmode');
    return { connectionString: url.href, isPooled };
  }
  const choose = Object.hasOwn(MODES, mode) ? MODES[mode] : undefined;
  if (choose === undefined) {
    throw new ConfigError(`DATABASE_URL: sslmode must be one of ${Object.keys(MODES).join(', ')}`);
  }
  if (searchParams.has('sslcrl')) throw new ConfigError('DATABASE_URL: sslcrl is not supported');
  const given: Given = {};
  for (const parameter of PARAMETERS) {
    const value = searchParams.get(parameter);
    if (value !== null) given[parameter] = value;
    searchParams.delete(parameter);
  }
  const { sslcert, sslkey, sslpassword } = given;
  const tls = choose(given, {
    ...(sslcert === undefined ? {} : { cert: contentsOf('sslcert', sslcert) }),
    ...(sslkey === undefined ? {} : { key: contentsOf('sslkey', sslkey) }),
    ...(sslpassword === undefined ? {} : { passphrase: sslpassword }),
  });
  return { connectionString: url.href, tls, isPooled };
}

/** Longest time that a server may take to say whether it uses TLS, in ms. */
const TRY_MS = 5_000;
/** Of `pg_hba.conf`: it has no entry for such a connection. */
const INVALID_AUTHORIZATION = '28000';

/** The options of a connection; of several ways, the first that the server takes. */
export async function postgresOptions({
  connectionString,
  tls,
}: PostgresTarget): Promise<{ connectionString: string; ssl?: Tls }> {
  if (tls === undefined) return { connectionString };
  const [first, second] = tls;
  const ssl = second === undefined || (await isTaken(connectionString, first)) ? first : second;
  return { connectionString, ssl };
}

async function isTaken(connectionString: string, ssl: Tls): Promise<boolean> {
  const client = new pg.Client({ connectionString, ssl, connectionTimeoutMillis: TRY_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    if (code === INVALID_AUTHORIZATION || /does not support SSL/.test(message)) return false;
    throw error;
  } finally {
    await client.end().catch(() => {});
  }
}

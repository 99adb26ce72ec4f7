import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import { ConfigError } from '../config.ts';
import { singleHosts } from './url-hosts.ts';

/** A connection with TLS and its options, or `false` for one without. */
type Tls = ConnectionOptions | false;

/** A `DATABASE_URL` as the driver takes it. */
export interface PostgresTarget {
  /** One for each host. */
  servers: [string, ...string[]];
  /** Whether that one of them is meant which takes writes (`target_session_attrs=read-write`). */
  mustWrite: boolean;
  /** What is tried in turn; absent where the URL has no `sslmode`. */
  tls?: [Tls, ...Tls[]] | undefined;
  /** Whether the URL leads to a pgbouncer with `pool_mode=transaction`. */
  isPooled: boolean;
}

/** Parameters that the driver would read with another meaning than libpq. */
const PARAMETERS = ['sslmode', 'ssl', 'sslrootcert', 'sslcert', 'sslkey', 'sslpassword'] as const;
/** The file of libpq that holds the certificates of trusted authorities where no other is named. */
const DEFAULT_ROOT = path.join(homedir(), '.postgresql', 'root.crt');
/** Authorities that Node trusts, instead of those of a file. */
const SYSTEM = 'system';

/** Parameters that the driver does not know. */
const OWN_PARAMETERS = ['pool_mode', 'target_session_attrs'];

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
 * Reads a URL of Postgres, whose hosts, `target_session_attrs`, `sslmode` and files mean what they mean to libpq. Two
 * differences: several hosts need `target_session_attrs=read-write`, and `verify-full` without a file of authorities trusts
 * those of Node, where libpq refuses to connect. `pool_mode` is that of a pgbouncer in front of the server.
 *
 * @throws ConfigError for a value that does not exist, or a file that cannot be read
 */
export function readPostgresUrl(text: string): PostgresTarget {
  const [first, ...others] = singleHosts(text).map((one) => new URL(one));
  const { searchParams } = first!;
  const given: Given = {};
  for (const parameter of PARAMETERS) {
    const value = searchParams.get(parameter);
    if (value !== null) given[parameter] = value;
  }
  const isPooled = chosen(searchParams, 'pool_mode', ['session', 'transaction']) === 'transaction';
  const mustWrite =
    chosen(searchParams, 'target_session_attrs', ['any', 'read-write']) === 'read-write';
  if (others.length > 0 && !mustWrite) {
    throw new ConfigError('DATABASE_URL: several hosts need target_session_attrs=read-write');
  }
  const tls = readTls(first!, given);
  const serverOf = (url: URL) => {
    for (const name of [...OWN_PARAMETERS, ...(tls ? PARAMETERS : ['sslmode'])]) {
      url.searchParams.delete(name);
    }
    return url.href;
  };
  return {
    servers: [serverOf(first!), ...others.map(serverOf)],
    mustWrite,
    tls,
    isPooled,
  };
}

/** The value of a parameter, by default the first of those that it may have. */
function chosen(parameters: URLSearchParams, name: string, values: readonly string[]): string {
  const value = parameters.get(name) ?? values[0]!;
  if (values.includes(value)) return value;
  throw new ConfigError(`DATABASE_URL: ${name} must be one of ${values.join(', ')}`);
}

/** The TLS settings of `sslmode`; `undefined` where there is none. */
function readTls({ searchParams, hostname }: URL, given: Given): PostgresTarget['tls'] {
  const mode = given.sslmode;
  // A path of a Unix socket: libpq ignores the mode too.
  const isSocket = (searchParams.get('host') ?? decodeURIComponent(hostname)).startsWith('/');
  if (mode === undefined || isSocket) return undefined;
  const choose = Object.hasOwn(MODES, mode) ? MODES[mode] : undefined;
  if (choose === undefined) {
    throw new ConfigError(`DATABASE_URL: sslmode must be one of ${Object.keys(MODES).join(', ')}`);
  }
  if (searchParams.has('sslcrl')) throw new ConfigError('DATABASE_URL: sslcrl is not supported');
  const { sslcert, sslkey, sslpassword } = given;
  return choose(given, {
    ...(sslcert === undefined ? {} : { cert: contentsOf('sslcert', sslcert) }),
    ...(sslkey === undefined ? {} : { key: contentsOf('sslkey', sslkey) }),
    ...(sslpassword === undefined ? {} : { passphrase: sslpassword }),
  });
}

/** Longest time that a server may take to say whether it uses TLS, in ms. */
const TRY_MS = 5_000;
/** Longest time that a server may take to say whether it takes writes, in ms. */
const CHECK_MS = 2_000;
/** Of `pg_hba.conf`: it has no entry for such a connection. */
const INVALID_AUTHORIZATION = '28000';

/** The options of a connection. */
export interface PostgresOptions {
  connectionString: string;
  ssl?: Tls;
}

/**
 * The options of a connection: of several hosts, to the one that takes writes; of several ways, the first that the server
 * takes.
 *
 * @throws Error when no host takes writes
 */
export async function postgresOptions(target: PostgresTarget): Promise<PostgresOptions> {
  const { servers, mustWrite, tls } = target;
  if (!mustWrite) return optionsOf(servers[0], tls);
  const tried = await Promise.allSettled(
    servers.map(async (server) => {
      const options = await optionsOf(server, tls);
      if (!(await takesWrites(options))) throw new Error(`${new URL(server).host} is read-only`);
      return options;
    }),
  );
  const able = tried.find((one) => one.status === 'fulfilled');
  if (able !== undefined) return able.value;
  const faults = tried.map((one) => String((one as PromiseRejectedResult).reason?.message));
  throw new Error(`No server of DATABASE_URL takes writes: ${faults.join('; ')}`);
}

async function optionsOf(
  connectionString: string,
  tls: PostgresTarget['tls'],
): Promise<PostgresOptions> {
  if (tls === undefined) return { connectionString };
  const [first, second] = tls;
  const ssl = second === undefined || (await isTaken(connectionString, first)) ? first : second;
  return { connectionString, ssl };
}

/** True for a server that is no standby. @throws Error when it does not answer */
export async function takesWrites(options: PostgresOptions): Promise<boolean> {
  const client = new pg.Client({
    ...options,
    connectionTimeoutMillis: CHECK_MS,
    query_timeout: CHECK_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ transaction_read_only: string }>(
      'SHOW transaction_read_only',
    );
    return rows[0]?.transaction_read_only === 'off';
  } finally {
    void client.end().catch(() => {});
  }
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

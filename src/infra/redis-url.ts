import type { ConnectionOptions } from 'node:tls';
import { Redis, type RedisOptions } from 'ioredis';
import { ConfigError } from '../config.ts';
import { readParameterFile } from './files.ts';
import { parseRedisAddress, type RedisAddress } from './redis-address.ts';

/** Parameters of encrypted connections, named as in redis-py, and the options that they set. */
const PARAMETERS: Readonly<Record<string, (value: string) => ConnectionOptions>> = {
  ssl_cert_reqs(value) {
    if (!['none', 'required'].includes(value)) {
      throw new ConfigError('REDIS_URL: ssl_cert_reqs must be none or required');
    }
    return { rejectUnauthorized: value === 'required' };
  },
  ssl_check_hostname(value) {
    if (!['true', 'false'].includes(value)) {
      throw new ConfigError('REDIS_URL: ssl_check_hostname must be true or false');
    }
    return value === 'true' ? {} : { checkServerIdentity: () => undefined };
  },
  ssl_ca_certs: (file) => ({ ca: contentsOf('ssl_ca_certs', file) }),
  ssl_certfile: (file) => ({ cert: contentsOf('ssl_certfile', file) }),
  ssl_keyfile: (file) => ({ key: contentsOf('ssl_keyfile', file) }),
};

const contentsOf = (parameter: string, file: string): Buffer =>
  readParameterFile('REDIS_URL', parameter, file);

/** Timeout of a query to a sentinel, in ms. */
const SENTINEL_MS = 2_000;

/** A Redis as described by its URL. */
export interface RedisTarget {
  /** URL of the server for ioredis; empty for sentinels and for a cluster. */
  url: string;
  options: RedisOptions;
  /** Some of the nodes of a cluster, from which the others are discovered. */
  nodes?: RedisAddress['hosts'];
  /** True if another server may replace this one. */
  failsOver: boolean;
}

/**
 * Parses a Redis URL. With TLS, certificate and name are verified against the authorities that Node
 * trusts, unless parameters of the URL change that.
 *
 * @throws ConfigError for an invalid value, or a file that cannot be read
 */
export function readRedisUrl(text: string): RedisTarget {
  const address = parseRedisAddress(text);
  const { isEncrypted, parameters } = address;
  const names = Object.keys(PARAMETERS).filter((name) => parameters.has(name));
  if (names.length > 0 && !isEncrypted) {
    throw new ConfigError(`REDIS_URL: ${names[0]} needs a URL that starts with rediss`);
  }
  const tls: ConnectionOptions = {};
  for (const name of names) Object.assign(tls, PARAMETERS[name]?.(parameters.get(name) ?? ''));
  if (address.kind === 'redis+sentinel') {
    return { url: '', options: sentinelOptions(address, tls), failsOver: true };
  }
  if (address.kind === 'redis+cluster') {
    const { hosts: nodes, username, password } = address;
    const options = { username, password, ...(isEncrypted && { tls }) };
    return { url: '', options, nodes, failsOver: true };
  }
  if (names.length === 0) return { url: text, options: {}, failsOver: false };
  const url = new URL(text);
  for (const name of names) url.searchParams.delete(name);
  return { url: url.href, options: { tls }, failsOver: false };
}

function sentinelOptions(
  { hosts, name, username, password, isEncrypted, parameters }: RedisAddress,
  tls: ConnectionOptions,
): RedisOptions {
  return {
    sentinels: hosts,
    name,
    username,
    password,
    sentinelUsername: parameters.get('sentinel_username') ?? '',
    sentinelPassword: parameters.get('sentinel_password') ?? '',
    ...(isEncrypted && { tls, sentinelTLS: tls, enableTLSForSentinelMode: true }),
    sentinelCommandTimeout: SENTINEL_MS,
  };
}

/** Creates a client of a Redis, whose own options override the others. */
export function openRedis({ url, options }: RedisTarget, others: RedisOptions): Redis {
  const merged = { ...others, ...options, replyMapping: 'legacy' } as const;
  return url === '' ? new Redis(merged) : new Redis(url, merged);
}

import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { Redis, type RedisOptions } from 'ioredis';
import { ConfigError } from '../config.ts';
import { parseRedisAddress, type RedisAddress } from './redis-address.ts';

/** The parameters of encrypted connections, as redis-py names them, and what they set. */
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

function contentsOf(parameter: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new ConfigError(`REDIS_URL: ${parameter}: ${(error as Error).message}`);
  }
}

/** Timeout of a question to a sentinel, in ms. */
const SENTINEL_MS = 2_000;

/** A Redis as its URL describes it. */
export interface RedisTarget {
  /** URL of the server for ioredis; empty where sentinels name the server, and for a cluster. */
  url: string;
  options: RedisOptions;
  /** Of a cluster: some of its nodes, from which the others are known. */
  nodes?: RedisAddress['hosts'];
  /** True if another server may take its place. */
  failsOver: boolean;
}

/**
 * Reads a URL of Redis. With TLS, certificate and name are verified, with the authorities that Node trusts, unless the
 * parameters of the URL say otherwise.
 *
 * @throws ConfigError for a wrong value, or a file that cannot be read
 */
export function readRedisUrl(text: string): RedisTarget {
  const address = parseRedisAddress(text);
  const { isEncrypted, parameters } = address;
  const given = Object.keys(PARAMETERS).filter((name) => parameters.has(name));
  if (given.length > 0 && !isEncrypted) {
    throw new ConfigError(`REDIS_URL: ${given[0]} needs a URL that starts with rediss`);
  }
  const tls: ConnectionOptions = {};
  for (const name of given) Object.assign(tls, PARAMETERS[name]?.(parameters.get(name) ?? ''));
  if (address.kind === 'redis+sentinel') {
    return { url: '', options: sentinelOptions(address, tls), failsOver: true };
  }
  if (address.kind === 'redis+cluster') {
    const { hosts: nodes, username, password } = address;
    const options = { username, password, ...(isEncrypted && { tls }) };
    return { url: '', options, nodes, failsOver: true };
  }
  if (given.length === 0) return { url: text, options: {}, failsOver: false };
  const url = new URL(text);
  for (const name of given) url.searchParams.delete(name);
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

/** Makes a client of a Redis, whose own options go before others. */
export function openRedis({ url, options }: RedisTarget, others: RedisOptions): Redis {
  const all = { ...others, ...options, replyMapping: 'legacy' } as const;
  return url === '' ? new Redis(all) : new Redis(url, all);
}

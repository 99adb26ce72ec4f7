import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { ConfigError } from '../config.ts';

/** The parameters of `rediss://` URLs, as redis-py names them, and what they set. */
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

/**
 * Reads a URL of Redis. `rediss://` verifies certificate and name, with the authorities that Node trusts, unless its
 * parameters say otherwise.
 *
 * @returns the URL without these parameters, and options of TLS where it has some
 * @throws ConfigError for a wrong value, or a file that cannot be read
 */
export function readRedisUrl(text: string): { url: string; tls?: ConnectionOptions } {
  const url = new URL(text);
  const given = Object.keys(PARAMETERS).filter((name) => url.searchParams.has(name));
  if (given.length === 0) return { url: text };
  if (url.protocol !== 'rediss:') {
    throw new ConfigError(`REDIS_URL: ${given[0]} needs a URL that starts with rediss://`);
  }
  const tls: ConnectionOptions = {};
  for (const name of given) {
    Object.assign(tls, PARAMETERS[name]?.(url.searchParams.get(name) ?? ''));
    url.searchParams.delete(name);
  }
  return { url: url.href, tls };
}

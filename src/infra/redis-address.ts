import { parseUrl } from './url.ts';
import { singleHosts } from './url-hosts.ts';

/** Schemes of Redis URLs, each also with `rediss` for TLS. */
const SCHEMES = ['redis', 'redis+sentinel', 'redis+cluster'] as const;

/** Type of the Redis: one server, the primary that sentinels name, or the nodes of a cluster. */
export type RedisKind = (typeof SCHEMES)[number];

/** Parts of a Redis URL. */
export interface RedisAddress {
  kind: RedisKind;
  isEncrypted: boolean;
  hosts: { host: string; port: number }[];
  /** Name and password of an account, empty if there is none. */
  username: string;
  password: string;
  /**
   * Path of the URL without its slash: the name of the primary in the configuration of the
   * sentinels.
   */
  name: string;
  parameters: URLSearchParams;
}

const DEFAULT_PORT: Record<RedisKind, number> = {
  redis: 6379,
  'redis+sentinel': 26379,
  'redis+cluster': 6379,
};

/**
 * Parses a Redis URL: `redis://host:port`,
 * `redis+sentinel://host:port,host:port/<name of the primary>` or
 * `redis+cluster://host:port,host:port`.
 *
 * @throws Error with a message that follows the name of a setting, such as "must be a URL"
 */
export function parseRedisAddress(text: string): RedisAddress {
  const scheme = text.slice(0, text.indexOf(':')).toLowerCase();
  const kind = SCHEMES.find((candidate) => candidate === scheme.replace(/^rediss/, 'redis'));
  if (kind === undefined) {
    throw new Error(
      'must be a URL that starts with redis://, redis+sentinel:// or redis+cluster://, each also with rediss',
    );
  }
  const urls = singleHosts(text).map((hostUrl) => parseUrl(hostUrl));
  const [first] = urls;
  if (first === undefined) throw new Error('must be a URL');
  const hosts = urls.map((url) => ({
    host: url?.hostname.replaceAll(/[[\]]/g, '') ?? '',
    port: Number(url?.port) || DEFAULT_PORT[kind],
  }));
  const name = decodeURIComponent(first.pathname.slice(1));
  const lacksHost = hosts.some(({ host }) => host === '');
  if (kind === 'redis+sentinel' && (name === '' || lacksHost)) {
    throw new Error(
      'must be of the form redis+sentinel://host:port,host:port/<name of the primary>',
    );
  }
  if (kind === 'redis+cluster' && (name !== '' || lacksHost)) {
    throw new Error(
      'must be of the form redis+cluster://host:port,host:port, without a database: a cluster has one',
    );
  }
  return {
    kind,
    isEncrypted: scheme.startsWith('rediss'),
    hosts,
    username: decodeURIComponent(first.username),
    password: decodeURIComponent(first.password),
    name,
    parameters: first.searchParams,
  };
}

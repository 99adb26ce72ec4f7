import { parseUrl } from './url.ts';
import { singleHosts } from './url-hosts.ts';

/** Schemes of URLs of Redis, each also with `rediss` for TLS, and what they name. */
const SCHEMES = ['redis', 'redis+sentinel'] as const;

/** How Redis is reached: one server, or the primary that sentinels name. */
export type RedisKind = (typeof SCHEMES)[number];

/** The parts of a URL of Redis. */
export interface RedisAddress {
  kind: RedisKind;
  isEncrypted: boolean;
  hosts: { host: string; port: number }[];
  /** Name and password of an account, empty where there is none. */
  username: string;
  password: string;
  /** Path of the URL without its slash: the name of the primary, as sentinels are configured with it. */
  name: string;
  parameters: URLSearchParams;
}

const DEFAULT_PORT: Record<RedisKind, number> = { redis: 6379, 'redis+sentinel': 26379 };

/**
 * Takes a URL of Redis apart: `redis://host:port`, or `redis+sentinel://host:port,host:port/<name of the primary>`.
 *
 * @throws Error whose message completes the name of a setting
 */
export function parseRedisAddress(text: string): RedisAddress {
  const scheme = text.slice(0, text.indexOf(':')).toLowerCase();
  const kind = SCHEMES.find((one) => one === scheme.replace(/^rediss/, 'redis'));
  if (kind === undefined) {
    throw new Error(
      'must be a URL that starts with redis:// or rediss://, or with redis+sentinel:// or rediss+sentinel://',
    );
  }
  const urls = singleHosts(text).map((one) => parseUrl(one));
  const [first] = urls;
  if (first === undefined) throw new Error('must be a URL');
  const hosts = urls.map((url) => ({
    host: url?.hostname.replaceAll(/[[\]]/g, '') ?? '',
    port: Number(url?.port) || DEFAULT_PORT[kind],
  }));
  const name = decodeURIComponent(first.pathname.slice(1));
  if (kind === 'redis+sentinel' && (name === '' || hosts.some(({ host }) => host === ''))) {
    throw new Error(
      'must be of the form redis+sentinel://host:port,host:port/<name of the primary>',
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

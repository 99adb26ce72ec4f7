/** Schemes of URLs that may name several hosts. */
const SCHEME = /^(?:postgres(?:ql)?|clickhouses?|rediss?\+(?:sentinel|cluster)):\/\//;

/**
 * Splits a URL with several hosts, as libpq allows (`postgres://user@a:5432,b:5432/name`), into one
 * URL per host. Applies to Postgres, ClickHouse, and sentinels or clusters of Redis. Other texts
 * are returned unchanged.
 */
export function singleHosts(url: string): [string, ...string[]] {
  const [scheme] = SCHEME.exec(url) ?? [];
  if (scheme === undefined) return [url];
  const length = url.slice(scheme.length).search(/[/?#]/);
  const end = length === -1 ? url.length : scheme.length + length;
  const begin = Math.max(scheme.length, url.lastIndexOf('@', end - 1) + 1);
  const [first = '', ...otherHosts] = url.slice(begin, end).split(',');
  const urlOf = (host: string) => url.slice(0, begin) + host + url.slice(end);
  return [urlOf(first), ...otherHosts.map(urlOf)];
}

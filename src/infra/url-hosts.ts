/** Schemes whose URLs may name several hosts. */
const SCHEME = /^(?:postgres(?:ql)?|clickhouses?|rediss?\+(?:sentinel|cluster)):\/\//;

/**
 * The URLs of the single hosts of a URL of Postgres or ClickHouse, or of sentinels or a cluster of Redis, which may name
 * several, as libpq allows (`postgres://user@a:5432,b:5432/name`). A text that is no such URL remains as it is.
 */
export function singleHosts(url: string): [string, ...string[]] {
  const [scheme] = SCHEME.exec(url) ?? [];
  if (scheme === undefined) return [url];
  const length = url.slice(scheme.length).search(/[/?#]/);
  const end = length === -1 ? url.length : scheme.length + length;
  const begin = Math.max(scheme.length, url.lastIndexOf('@', end - 1) + 1);
  const [first = '', ...others] = url.slice(begin, end).split(',');
  const urlOf = (host: string) => url.slice(0, begin) + host + url.slice(end);
  return [urlOf(first), ...others.map(urlOf)];
}

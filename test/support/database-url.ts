import { singleHosts } from '../../src/infra/url-hosts.ts';

/** The URL of another database of the same server; of several servers, of the first. */
export function databaseUrlOf(url: string, name: string): string {
  const other = new URL(singleHosts(url)[0]);
  other.pathname = `/${name}`;
  return other.href;
}

import { parseUrl } from '../../infra/url.ts';

const DIRECT = '(direct)';

/** Where a visitor came from: the host and the whole address; `(direct)` where there was none. */
export function readReferrer(header: string): { referer: string; referer_url: string } {
  const host = parseUrl(header)?.hostname ?? '';
  return host === ''
    ? { referer: DIRECT, referer_url: DIRECT }
    : { referer: host, referer_url: header };
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import { FetchRefused } from '../infra/fetch-refused.ts';
import { guardedFetch } from '../infra/guarded-fetch.ts';

/** Time limit for a page, in ms. */
const PAGE_MS = 4_000;
/** Time limit for all pages of a check, in ms, for which the write of a link waits. */
const ALL_MS = 7_000;
const AT_ONCE = 20;

/**
 * Finds the pages that allow being framed by this service. A page that does not answer in time
 * counts as one that does not, and its link redirects.
 */
export async function findFrameable({ urls }: { urls: string[] }): Promise<string[]> {
  const deadline = Date.now() + ALL_MS;
  const open = [...urls];
  const allowed = new Set<string>();
  // Addresses that are refused without a request would all be handled within one turn of the event
  // loop.
  let turn = Promise.resolve();
  const turnOfItsOwn = () => (turn = turn.then(() => nextTurn()));
  const ask = async () => {
    for (let url = open.shift(); url !== undefined; url = open.shift()) {
      await turnOfItsOwn();
      const timeoutMs = Math.min(PAGE_MS, deadline - Date.now());
      if (timeoutMs <= 0) return;
      if (await isFrameable(url, timeoutMs)) allowed.add(url);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
  return urls.filter((url) => allowed.has(url));
}

async function isFrameable(url: string, timeoutMs: number): Promise<boolean> {
  try {
    const { status, headers } = await guardedFetch(url, {
      timeoutMs,
      maxBytes: 0,
      headersOnly: true,
      headers: { accept: 'text/html,*/*;q=0.8', 'sec-fetch-dest': 'iframe' },
    });
    return status < 400 && allowsFrames(headers);
  } catch (error) {
    if (error instanceof FetchRefused) return false;
    throw error;
  }
}

/**
 * True if any site may frame a page: it has no `X-Frame-Options` (RFC 7034), or one that browsers
 * ignore because of its `frame-ancestors` (CSP 3, 6.4.2), and each of its policies allows any site.
 */
export function allowsFrames(headers: Record<string, string>): boolean {
  const ancestors = (headers['content-security-policy'] ?? '')
    .split(',')
    .flatMap((policy) => policy.split(';'))
    .map((directive) => directive.trim().toLowerCase().split(/\s+/))
    .filter(([name]) => name === 'frame-ancestors')
    .map(([, ...sources]) => sources);
  if (ancestors.length === 0) return (headers['x-frame-options'] ?? '').trim() === '';
  return ancestors.every((sources) =>
    sources.some((source) => source === '*' || source === 'https:'),
  );
}

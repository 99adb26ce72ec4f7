import { FetchRefused, guardedFetch } from '../infra/guarded-fetch.ts';

/** For one page, in ms. */
const PAGE_MS = 4_000;
/** For all pages of one question, in ms: whoever writes a link waits for the answer. */
const ALL_MS = 7_000;
const AT_ONCE = 20;

/**
 * Which pages may be shown in a frame of ours. A page that does not answer in time counts as one that may not: its
 * link then redirects.
 */
export async function findFrameable({ urls }: { urls: string[] }): Promise<string[]> {
  const deadline = Date.now() + ALL_MS;
  const open = [...urls];
  const allowed = new Set<string>();
  const look = async () => {
    for (let url = open.shift(); url !== undefined; url = open.shift()) {
      const timeoutMs = Math.min(PAGE_MS, deadline - Date.now());
      if (timeoutMs <= 0) return;
      if (await isFrameable(url, timeoutMs)) allowed.add(url);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, look));
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
 * Whether a page may stand in a frame of any other site: it has no `X-Frame-Options` (RFC 7034), or one that browsers
 * ignore because of the `frame-ancestors` beside it (CSP 3, 6.4.2), and each of its policies lets everybody frame it.
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

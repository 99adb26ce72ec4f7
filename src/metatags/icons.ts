import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import { findIcon, storeIcon } from '../images/icons.ts';
import { readIcon } from '../images/read.ts';
import { handlers } from '../queues/job.ts';
import { iconJobs } from '../short-links/jobs.ts';
import { readPage } from './read-page.ts';

/** Returns true for a refusal that a repeat would get too. */
const isRefused = (thrown: unknown): boolean =>
  thrown instanceof Refusal && thrown.code !== 'service_unavailable';

/** Resolves to `undefined` instead of a refusal. */
async function ifReadable<Result>(read: Promise<Result>): Promise<Result | undefined> {
  try {
    return await read;
  } catch (thrown) {
    if (!isRefused(thrown)) throw thrown;
    return undefined;
  }
}

/** Returns true if one host is the other, or a part of it: `example.com` and `www.example.com`. */
function isSameSite(one: string, other: string): boolean {
  const [a, b] = [new URL(one).hostname, new URL(other).hostname];
  return a === b || a.endsWith(`.${b}`) || b.endsWith(`.${a}`);
}

/**
 * Lists the URLs at which a site may have its icon, the best first. The home page is read instead of
 * a destination, whose URL may do something when it is opened. A home page that redirects to another
 * site, such as one to sign in, has the icon of that site.
 */
async function candidatesOf(origin: string): Promise<Set<string>> {
  const home = `${origin}/favicon.ico`;
  const page = await ifReadable(readPage(`${origin}/`));
  if (page === undefined || !isSameSite(page.url, origin)) return new Set([home]);
  const named = page.icon === null ? [] : [page.icon];
  return new Set([...named, new URL('/favicon.ico', page.url).href, home]);
}

/** Reads the icon of a site; `null` if it has none that can be read. */
async function readSiteIcon(origin: string): Promise<Buffer | null> {
  for (const url of await candidatesOf(origin)) {
    const png = await ifReadable(readIcon(url));
    if (png !== undefined) return png;
  }
  return null;
}

export const iconHandlers = handlers(iconJobs, {
  /** Reads the icon of a site, unless it was read lately. */
  async 'icon.read'({ origin }, { projectId }) {
    if (config().DESTINATION_ICONS === 'off') return;
    if ((await findIcon(projectId, origin))?.isFresh === true) return;
    await storeIcon(projectId, origin, await readSiteIcon(origin));
  },
});

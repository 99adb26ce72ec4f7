import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import { findIcon, type ReadIcon, storeIcon } from '../images/icons.ts';
import { readIcon } from '../images/read.ts';
import { FETCH_RULES } from '../infra/fetch-refused.ts';
import { type JobContext, Postponed } from '../queues/definition.ts';
import { handlers } from '../queues/job.ts';
import { iconJobs } from '../short-links/jobs.ts';
import { readPage } from './read-page.ts';

/** Time limit for all requests for an icon, in ms. */
const TIMEOUT_MS = 6_000;
/** Time limit for the home page, which leaves time for `/favicon.ico`, in ms. */
const PAGE_MS = 4_000;
/** Delays of a job while enough others run, in ms; each is twice the one before. */
const DELAY_MS = { first: 1_000, max: 30_000 };

/** Returns true for a refusal that a repeat would get too. */
const isRefused = (thrown: unknown): thrown is Refusal =>
  thrown instanceof Refusal && thrown.code !== 'service_unavailable';

/** The requests for one icon, which share a time limit. */
class Requests {
  readonly #until = performance.now() + TIMEOUT_MS;
  /** True once the site did not respond in time. */
  isLate = false;

  /** Resolves to `undefined` instead of a refusal. */
  async try<Result>(
    read: (timeoutMs: number) => Promise<Result>,
    maxMs = TIMEOUT_MS,
  ): Promise<Result | undefined> {
    const timeoutMs = Math.min(maxMs, Math.floor(this.#until - performance.now()));
    if (timeoutMs <= 0) {
      this.isLate = true;
      return undefined;
    }
    try {
      return await read(timeoutMs);
    } catch (thrown) {
      if (!isRefused(thrown)) throw thrown;
      if (thrown.message.endsWith(FETCH_RULES.time(timeoutMs))) this.isLate = true;
      return undefined;
    }
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
async function candidatesOf(origin: string, requests: Requests): Promise<Set<string>> {
  const home = `${origin}/favicon.ico`;
  const page = await requests.try((timeoutMs) => readPage(`${origin}/`, timeoutMs), PAGE_MS);
  if (page === undefined || !isSameSite(page.url, origin)) return new Set([home]);
  const named = page.icon === null ? [] : [page.icon];
  return new Set([...named, new URL('/favicon.ico', page.url).href, home]);
}

/** Reads the icon of a site. */
async function readSiteIcon(origin: string): Promise<ReadIcon> {
  const requests = new Requests();
  for (const url of await candidatesOf(origin, requests)) {
    const png = await requests.try((timeoutMs) => readIcon(url, timeoutMs));
    if (png !== undefined) return { png, isLate: false };
  }
  return { png: null, isLate: requests.isLate };
}

let running = 0;

/**
 * Does something for an icon in one of the few slots of icons: requests wait for other jobs of the
 * queue, which sites that do not respond must not delay.
 *
 * @throws Postponed if these slots are in use
 */
async function inSlot(act: () => Promise<void>, { starts = 1 }: JobContext): Promise<void> {
  if (running >= Math.max(1, Math.floor(config().IMAGES_CONCURRENCY / 4))) {
    const delayMs = Math.min(DELAY_MS.first * 2 ** (starts - 1), DELAY_MS.max);
    throw new Postponed('enough icons are read at once', delayMs);
  }
  running += 1;
  try {
    await act();
  } finally {
    running -= 1;
  }
}

export const iconHandlers = handlers(iconJobs, {
  /** Reads the icon of a site, unless it was read lately. @throws Postponed */
  async 'icon.read'({ origin }, context) {
    const { projectId } = context;
    if (config().DESTINATION_ICONS === 'off') return;
    if ((await findIcon(projectId, origin))?.isFresh === true) return;
    await inSlot(async () => storeIcon(projectId, origin, await readSiteIcon(origin)), context);
  },
});

import { parseUrl } from '../infra/url.ts';
import type { Head } from './head.ts';
import { MAX_TEXT, MAX_URL, type Metatags } from './record.ts';

/**
 * Metadata of a page from its head: Open Graph before Twitter before plain HTML, and of several tags the first that is not
 * empty.
 *
 * @param url of the page: the base of relative URLs, unless the page has a `<base>`
 */
export function describePage(head: Head, url: string): Metatags {
  const metas = (...names: string[]) => names.flatMap((name) => head.meta(name));
  const base = baseOf(head, url);
  const text = (max: number, candidates: readonly string[]) =>
    firstOf(candidates, (one) => readText(one, max));
  const address = (candidates: readonly string[]) =>
    firstOf(candidates, (one) => readAddress(one, base));
  return {
    url,
    title: text(MAX_TEXT.title, [...metas('og:title', 'twitter:title'), head.title ?? '']),
    description: text(
      MAX_TEXT.description,
      metas('og:description', 'twitter:description', 'description'),
    ),
    image: address([
      ...metas('og:image', 'og:image:secure_url', 'og:image:url'),
      ...metas('twitter:image', 'twitter:image:src'),
      ...head.link('image_src'),
    ]),
    siteName: text(MAX_TEXT.siteName, metas('og:site_name', 'application-name')),
    icon: address([
      ...head.link('icon'),
      ...head.link('apple-touch-icon'),
      ...head.link('apple-touch-icon-precomposed'),
    ]),
    video: address([
      ...metas('og:video', 'og:video:secure_url', 'og:video:url'),
      ...metas('twitter:player:stream', 'twitter:player'),
    ]),
    canonical: address([...head.link('canonical'), ...metas('og:url')]),
  };
}

function baseOf(head: Head, url: string): URL {
  const own = new URL(url);
  const base = head.base === undefined ? undefined : parseUrl(head.base.trim(), own);
  return base !== undefined && isWeb(base) ? base : own;
}

const isWeb = ({ protocol }: URL): boolean => protocol === 'http:' || protocol === 'https:';

function firstOf<T>(candidates: readonly string[], read: (one: string) => T | null): T | null {
  for (const one of candidates) {
    const value = read(one);
    if (value !== null) return value;
  }
  return null;
}

/** One line of text that can be shown anywhere; `null` where nothing of it would be seen. */
function readText(given: string, max: number): string | null {
  const line = given
    // Embeddings, overrides and isolates turn what stands around a text as well; plain marks (U+200E, U+200F) don't.
    .replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '')
    .replaceAll(/(?!\s)\p{Cc}/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (!/[^\p{C}\p{Z}]/u.test(line)) return null;
  // A character beyond U+FFFF is two units, of which one alone is none.
  return line
    .slice(0, max)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd();
}

function readAddress(given: string, base: URL): string | null {
  const url = parseUrl(given.trim(), base);
  return url !== undefined && isWeb(url) && url.href.length <= MAX_URL ? url.href : null;
}

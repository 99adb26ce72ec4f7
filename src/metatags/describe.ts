import { parseUrl } from '../infra/url.ts';
import type { Head } from './head.ts';
import { MAX_TEXT, MAX_URL, type Metatags } from './record.ts';

/**
 * Describes a page by its head: Open Graph before Twitter before plain HTML, and among several tags
 * the first that is not empty.
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
  const pageUrl = new URL(url);
  const base = head.base === undefined ? undefined : parseUrl(head.base.trim(), pageUrl);
  return base !== undefined && isWeb(base) ? base : pageUrl;
}

const isWeb = ({ protocol }: URL): boolean => protocol === 'http:' || protocol === 'https:';

function firstOf<T>(candidates: readonly string[], read: (one: string) => T | null): T | null {
  for (const one of candidates) {
    const value = read(one);
    if (value !== null) return value;
  }
  return null;
}

/**
 * Returns a single line of text that can be shown anywhere; `null` if none of it would be visible.
 */
function readText(text: string, max: number): string | null {
  const line = text
    // Embeddings, overrides and isolates reorder the surrounding text too; plain marks (U+200E,
    // U+200F) do not.
    .replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '')
    .replaceAll(/(?!\s)\p{Cc}/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (!/[^\p{C}\p{Z}]/u.test(line)) return null;
  // A character beyond U+FFFF is two units, and half of it must not remain.
  return line
    .slice(0, max)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd();
}

function readAddress(text: string, base: URL): string | null {
  const url = parseUrl(text.trim(), base);
  return url !== undefined && isWeb(url) && url.href.length <= MAX_URL ? url.href : null;
}

import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { memoize } from '../infra/memoize.ts';
import { mix, readable } from './contrast.ts';
import { type Html, html, type Page } from './layout.ts';

/** The branding of a workspace on pages for visitors. */
export interface Brand {
  /** Color `#rrggbb`. */
  color?: string;
  /** Id of the stored logo, and its size in px. */
  logo?: { id: string; width: number; height: number };
  name?: string;
}

/** URL of a workspace's logo. */
export const logoUrl = (baseUrl: string, projectId: string, imageId: string): string =>
  `${baseUrl}/logos/${projectId}/${imageId}`;

/** Minimum contrast of text, and of the button's text (WCAG 2.2, 1.4.3). */
const MIN_CONTRAST = 4.5;
/** Backgrounds of the layout (`BASE_STYLE`) behind the color. */
const LIGHT = ['#ffffff', '#f5f7fa'];
const DARK = ['#16191f', '#1f242c'];
/** Maximum size of a logo, in px. */
const LOGO = { width: 240, height: 64 };

const LOGO_STYLE = `.brand{display:block;max-width:100%;height:auto;margin:0 auto 1.25rem}
.brand-name{margin-bottom:1.25rem;text-align:center;font-weight:600}
.brand+.brand-name{margin-top:-.75rem}`;

/**
 * Derives the colors of both schemes from that of the workspace, so that all text stays readable.
 */
function colorStyle(color: string): string {
  const scheme = (grounds: string[], towards: '#000000' | '#ffffff', ink: string) => {
    const accent = readable(color, [...grounds, ink], towards, MIN_CONTRAST);
    const tint = mix(grounds[0]!, color, 0.14);
    const onTint = readable(color, [tint, ...grounds], towards, MIN_CONTRAST);
    return `--accent:${accent};--on-accent:${ink};--tint:${tint};--on-tint:${onTint}`;
  };
  return (
    `:root{${scheme(LIGHT, '#000000', '#ffffff')}}` +
    `@media (prefers-color-scheme:dark){:root{${scheme(DARK, '#ffffff', '#0c0e12')}}}`
  );
}

/** Returns the style sheet for a color, which may be empty, with its CSP source. */
const styleOf = memoize(
  (color: string) => {
    const text = (color === '' ? '' : colorStyle(color)) + LOGO_STYLE;
    const hash = createHash('sha256').update(text).digest('base64');
    return { tag: html`<style>${text}</style>\n`, source: `'sha256-${hash}'` };
  },
  new LRUCache({ max: 1_000 }),
);

const HEAD_END = '</head>\n<body>\n';
/** Start of the body of every branded page; pages in a frame do not have it. */
const MAIN = /^<main[^>]*>\n/;

/**
 * Adds the branding of a workspace to a page (`wholePage`); other answers are returned unchanged.
 *
 * @param baseUrl public URL of the API, which serves logos
 */
export function branded(
  page: Page,
  { color, logo, name }: Brand,
  { baseUrl, projectId }: { baseUrl: string; projectId: string },
): Page {
  if (color === undefined && logo === undefined && name === undefined) return page;
  const text = page.body.toString();
  const at = text.indexOf(HEAD_END);
  const main = at < 0 ? null : MAIN.exec(text.slice(at + HEAD_END.length));
  if (main === null) return page;
  const { tag, source } = styleOf(color ?? '');
  const start = at + HEAD_END.length + main[0].length;
  const image = logo === undefined ? '' : picture(logoUrl(baseUrl, projectId, logo.id), logo).text;
  const words = name === undefined ? '' : html`<p class="brand-name" dir="auto">${name}</p>\n`.text;
  const body = Buffer.from(
    text.slice(0, at) + tag.text + text.slice(at, start) + image + words + text.slice(start),
  );
  const headers = page.headers.map((value, index) => {
    const name = index % 2 === 1 ? page.headers[index - 1] : undefined;
    if (name === 'Content-Length') return String(body.length);
    if (name !== 'Content-Security-Policy') return value;
    const images = logo === undefined ? '' : ` ${new URL(baseUrl).origin}`;
    return value
      .replace('style-src ', `style-src ${source} `)
      .replace("img-src 'self'", `img-src 'self'${images}`);
  });
  return { ...page, headers, body };
}

function picture(url: string, { width, height }: { width: number; height: number }): Html {
  const scale = Math.min(1, LOGO.width / width, LOGO.height / height);
  const [wide, high] = [Math.round(width * scale), Math.round(height * scale)];
  // Without alternative text: a name stands next to it, or visitors may not know the workspace.
  return html`<img class="brand" src="${url}" alt="" width="${wide}" height="${high}">\n`;
}

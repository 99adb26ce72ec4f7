import { createHash } from 'node:crypto';
import { memoize } from '../infra/memoize.ts';
import { type Language, say } from './language.ts';
import { PERMISSIONS_POLICY, permissionsPolicy } from './permissions.ts';
import type { Phrase } from './phrases/en.ts';

/** A text that is HTML, and must not be escaped again. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

type Content = Html | string | number | readonly Html[];

function escape(value: Content): string {
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('');
  return String(value).replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}

/** Template tag for HTML. Values are escaped, unless they come from this tag. */
export function html(parts: TemplateStringsArray, ...values: Content[]): Html {
  return new Html(String.raw({ raw: parts }, ...values.map(escape)));
}

/** Empty HTML, for omitted parts of a page. */
export const NOTHING = new Html('');

/** An answer with a body. Its headers are a flat list of names and values. */
export interface Page {
  status: number;
  headers: readonly string[];
  body: Buffer;
}

/** Sources for the Content-Security-Policy of a page. */
export interface Allowances {
  images?: string;
  frames?: string;
  media?: string;
  /** Allows forms; `self`: only those that are sent to the same host, and answered there. */
  forms?: boolean | 'self';
  /** Allows the script to request pages of the same host. */
  fetches?: boolean;
}

/** The style sheet and script of a kind of pages, with the policy that allows exactly these. */
export interface PageAssets {
  style: Html;
  script: Html;
  policy(allowances?: Allowances): string;
}

const NO_ANCESTORS = "frame-ancestors 'none'";

/** Allows pages of these origins to show a page in a frame. */
export function framedBy(page: Page, origins: readonly string[]): Page {
  if (origins.length === 0) return page;
  const ancestors = `frame-ancestors ${origins.join(' ')}`;
  const headers = page.headers.map((value, index) =>
    page.headers[index - 1] === 'Content-Security-Policy'
      ? value.replace(NO_ANCESTORS, ancestors)
      : value,
  );
  return { ...page, headers };
}

/** Hashes style and script. Called once per kind of page, not per answer. */
export function pageAssets(style: string, script = ''): PageAssets {
  const allowed = (text: string) =>
    text === '' ? "'none'" : `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const [styles, scripts] = [allowed(style), allowed(script)];
  return {
    style: new Html(style),
    script: script === '' ? NOTHING : html`<script>${new Html(script)}</script>\n`,
    policy: ({ images = '', frames, media, forms = false, fetches = false } = {}) =>
      [
        "default-src 'none'",
        `style-src ${styles}`,
        `script-src ${scripts}`,
        // Browsers request the icon of a site by themselves.
        `img-src ${`'self' ${images}`.trim()}`,
        ...(frames === undefined ? [] : [`frame-src ${frames}`]),
        ...(media === undefined ? [] : [`media-src ${media}`]),
        ...(fetches ? ["connect-src 'self'"] : []),
        NO_ANCESTORS,
        "base-uri 'none'",
        // Chromium also applies form-action to the redirect that answers a form. Naming the
        // destination here would reveal it to visitors who have not entered the password.
        ...(forms === true ? [] : [`form-action '${forms === 'self' ? 'self' : 'none'}'`]),
      ].join('; '),
  };
}

/** The parts of a page. */
export interface PageParts {
  language: Language;
  /** Title of the window; direction marks are removed from it. */
  title: string;
  body: Html;
  /** Further elements of the head. */
  head?: Html;
  allow?: Allowances;
  /** Allows search engines to index the page. */
  isIndexed?: boolean;
  /** Permissions available to the `allow` attributes of its frames. */
  framesMay?: readonly string[];
}

/**
 * Marks that change the text direction. In the body their effect ends with the element, but not in
 * a title.
 */
export const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Builds an HTML page with the headers that all pages share. */
export function wholePage(
  status: number,
  { style, script, policy }: PageAssets,
  { language, title, body, head = NOTHING, allow, isIndexed = false, framesMay }: PageParts,
  extraHeaders: readonly string[] = [],
): Page {
  const robots = isIndexed ? NOTHING : html`<meta name="robots" content="noindex">\n`;
  const whole = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="#ffffff" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#16191f" media="(prefers-color-scheme: dark)">
${robots}<meta name="referrer" content="no-referrer">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${title.replaceAll(DIRECTION_MARKS, '')}</title>
${head}<style>${style}</style>
</head>
<body>
${body}
${script}</body>
</html>
`;
  const permissions = permissionsPolicy(framesMay);
  return answer(status, 'text/html', policy(allow), whole.text, extraHeaders, permissions);
}

/** Builds a UTF-8 text answer that is not cached, and whose type is not sniffed. */
export function answer(
  status: number,
  type: string,
  policy: string,
  text: string,
  extraHeaders: readonly string[] = [],
  permissions = PERMISSIONS_POLICY,
): Page {
  const body = Buffer.from(text);
  const headers = {
    'Content-Type': `${type}; charset=utf-8`,
    'Content-Length': String(body.length),
    'Cache-Control': 'private, no-store',
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Permissions-Policy': permissions,
  };
  return { status, headers: [...Object.entries(headers).flat(), ...extraHeaders], body };
}

/**
 * Colors, fonts and the card of all pages. On a phone the page is the card; on larger screens it
 * lies on a background. All pairs of text colors have a contrast of at least 4.5:1.
 */
export const BASE_STYLE = `
:root{color-scheme:light dark;
--ground:#e9edf3;--surface:#fff;--inset:#f5f7fa;--line:#dce2ea;--text:#14181f;--muted:#566072;
--edge:#7b8698;--bad:#b3261e;--bad-tint:#fdecea;--accent:#2257d2;--on-accent:#fff;--tint:#e5edfd;--on-tint:#1b46ac;
--shadow:0 1px 2px #1a25380f,0 1.25rem 3rem #1a25381f}
@media (prefers-color-scheme:dark){:root{
--ground:#0c0e12;--surface:#16191f;--inset:#1f242c;--line:#323944;--text:#eceff4;--muted:#a4aebd;
--edge:#8b95a5;--bad:#ffb4ab;--bad-tint:#4a1c1a;--accent:#a9c5ff;--on-accent:#0c1e45;--tint:#25324d;--on-tint:#c3d6ff;
--shadow:0 0 0 1px #ffffff14}}
@media (prefers-contrast:more){:root{--muted:var(--text);--line:var(--text)}}
*,::before,::after{box-sizing:border-box}
[hidden]{display:none!important}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;min-height:100vh;min-height:100dvh;display:flex;flex-direction:column;
font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;
background:var(--surface);color:var(--text);overflow-wrap:anywhere}
main{flex:1;width:100%;max-width:30rem;margin:0 auto;padding:2rem 1rem}
h1{margin:0;font-size:1.5rem;line-height:1.25;letter-spacing:-.015em;text-wrap:balance}
p{margin:0}
h1+p{margin-top:.375rem;color:var(--muted);text-wrap:pretty}
.badge{display:inline-grid;place-items:center;width:4rem;height:4rem;margin:0 auto .875rem;
border-radius:1.25rem;background:var(--tint);color:var(--on-tint)}
svg{flex:none;width:1.5rem;height:1.5rem;fill:none;stroke:currentColor;stroke-width:1.75;
stroke-linecap:round;stroke-linejoin:round}
.badge svg{width:2rem;height:2rem}
.notice{display:flex;flex-direction:column;justify-content:center;text-align:center}
.notice p{text-wrap:balance}
.action{flex:1 1 8.25rem;min-width:0;display:flex;align-items:center;justify-content:center;gap:.625rem;min-height:3rem;
padding:.625rem 1rem;border:1px solid transparent;border-radius:.875rem;background:var(--tint);
color:var(--on-tint);font:inherit;font-weight:600;line-height:1.25;text-align:center;
text-decoration:none;cursor:pointer}
.action.main{min-height:3.5rem;background:var(--accent);color:var(--on-accent);font-size:1.0625rem}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
@media (hover:hover){.action:hover{filter:brightness(.95)}}
.action:active{filter:brightness(.9)}
@media (prefers-contrast:more){.action{border-color:currentColor}}
@media (prefers-reduced-motion:no-preference){.action{transition:filter .15s}}
.quiet{align-self:center;padding:.75rem 1rem;color:var(--muted);text-underline-offset:.2em}
@media (min-width:36rem){
body{padding:1.5rem;background:var(--ground)}
main{flex:none;margin:auto;padding:2rem;background:var(--surface);border-radius:1.5rem;
box-shadow:var(--shadow)}
.notice{padding:3rem 2rem}}`;

const PLAIN = pageAssets(BASE_STYLE);

const LINK = html`<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="M10.5 7.5l1.9-1.9a4.25 4.25 0 0 1 6 6l-1.9 1.9M13.5 16.5l-1.9 1.9a4.25 4.25 0 0 1-6-6l1.9-1.9M4 4l16 16"/></svg>`;

/**
 * Builds a page that is shown instead of a destination: a title, a sentence, and optionally a link.
 */
export function notice(
  status: number,
  {
    language,
    title,
    text,
    link,
  }: {
    language: Language;
    title: string;
    text: string;
    link?: { href: string; label: string };
  },
  extraHeaders: readonly string[] = [],
): Page {
  const body = html`<main class="notice">
<span class="badge">${LINK}</span>
<h1>${title}</h1>
<p>${text}</p>
${link === undefined ? NOTHING : html`<a class="quiet" href="${link.href}" rel="nofollow">${link.label}</a>\n`}</main>`;
  return wholePage(status, PLAIN, { language, title, body }, extraHeaders);
}

/** Builds a notice with fixed words, once for each language. */
export const fixedNotice = (
  status: number,
  { title, text }: { title: Phrase; text: Phrase },
  extraHeaders: readonly string[] = [],
) =>
  memoize(
    (language: Language) =>
      notice(
        status,
        { language, title: say(language, title), text: say(language, text) },
        extraHeaders,
      ),
    new Map(),
  );

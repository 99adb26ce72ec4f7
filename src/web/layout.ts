import { createHash } from 'node:crypto';
import { byLanguage, type Language, say } from './language.ts';
import { PERMISSIONS_POLICY, permissionsPolicy } from './permissions.ts';
import type { Phrase } from './phrases/en.ts';

/** A text that is HTML already and must not be escaped again. */
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

/** Template tag for HTML: whatever is put in is escaped, unless it was made by this tag itself. */
export function html(parts: TemplateStringsArray, ...values: Content[]): Html {
  return new Html(String.raw({ raw: parts }, ...values.map(escape)));
}

/** Nothing, where a piece of a page is left out. */
export const NOTHING = new Html('');

/** An answer with a body: status, headers as a flat list of names and values, body. */
export interface Page {
  status: number;
  headers: readonly string[];
  body: Buffer;
}

/** Sources that a page may load or send to, as a Content-Security-Policy names them. */
export interface Allowances {
  images?: string;
  frames?: string;
  media?: string;
  /** The page has a form. */
  forms?: boolean;
}

/** The style sheet and the script that pages of a kind share, with the policy that allows exactly these. */
export interface PageAssets {
  style: Html;
  script: Html;
  policy(allowances?: Allowances): string;
}

/** Hashes style and script, so it is made once for a kind of page and not for each answer. */
export function pageAssets(style: string, script = ''): PageAssets {
  const allowed = (text: string) =>
    text === '' ? "'none'" : `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const [styles, scripts] = [allowed(style), allowed(script)];
  return {
    style: new Html(style),
    script: script === '' ? NOTHING : html`<script>${new Html(script)}</script>\n`,
    policy: ({ images = '', frames, media, forms = false } = {}) =>
      [
        "default-src 'none'",
        `style-src ${styles}`,
        `script-src ${scripts}`,
        // Browsers ask for the icon of a site by themselves.
        `img-src ${`'self' ${images}`.trim()}`,
        ...(frames === undefined ? [] : [`frame-src ${frames}`]),
        ...(media === undefined ? [] : [`media-src ${media}`]),
        "frame-ancestors 'none'",
        "base-uri 'none'",
        // Chromium also applies form-action to where the answer to a form redirects. To name the destination here
        // would show it to visitors who have not entered the password.
        ...(forms ? [] : ["form-action 'none'"]),
      ].join('; '),
  };
}

/** The parts of a page of ours. */
export interface PageParts {
  language: Language;
  /** In the title of the window; marks that turn the direction of what follows are taken out. */
  title: string;
  body: Html;
  /** More of the head. */
  head?: Html;
  allow?: Allowances;
  /** Search engines may show the page. */
  isIndexed?: boolean;
  /** Rights that its frames may be given; they are given by the frame's own `allow`. */
  framesMay?: readonly string[];
}

/** Marks that turn the direction of what follows. In the body their effect ends with the element; in a title it doesn't. */
export const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** An HTML page of ours with the headers that all of them have. */
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

/** An answer of text in UTF-8, kept by no cache and taken for nothing but its type. */
export function answer(
  status: number,
  type: string,
  policy: string,
  text: string,
  extraHeaders: readonly string[] = [],
  permissions = PERMISSIONS_POLICY,
): Page {
  const body = Buffer.from(text);
  const headers = [
    'Content-Type',
    `${type}; charset=utf-8`,
    'Content-Length',
    String(body.length),
    'Cache-Control',
    'private, no-store',
    'Content-Security-Policy',
    policy,
    'X-Content-Type-Options',
    'nosniff',
    'Referrer-Policy',
    'no-referrer',
    'Permissions-Policy',
    permissions,
    ...extraHeaders,
  ];
  return { status, headers, body };
}

/**
 * Colors, type and the card of every page of ours. On a phone the page is the card; where there is room
 * around it, it lies on a ground. All pairs of colors that carry text have a contrast of 4.5:1 or more.
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

/** Two links of a chain, apart. */
const LINK = html`<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="M10.5 7.5l1.9-1.9a4.25 4.25 0 0 1 6 6l-1.9 1.9M13.5 16.5l-1.9 1.9a4.25 4.25 0 0 1-6-6l1.9-1.9M4 4l16 16"/></svg>`;

/** A whole page that a visitor meets instead of a destination: a title, a sentence, and a link where there is one. */
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

/** A notice with fixed words, made once for each language. */
export const fixedNotice = (
  status: number,
  { title, text }: { title: Phrase; text: Phrase },
  extraHeaders: readonly string[] = [],
) =>
  byLanguage((language) =>
    notice(
      status,
      { language, title: say(language, title), text: say(language, text) },
      extraHeaders,
    ),
  );

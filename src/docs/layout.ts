import { createHash } from 'node:crypto';
import { BASE_STYLE, type Html, html, NOTHING, pageAssets, wholePage } from '../web/layout.ts';
import { PERMISSIONS_POLICY } from '../web/permissions.ts';
import type { Guide } from './guides.ts';

/** A page of the documentation, the same for all readers. */
export interface DocsPage {
  headers: Record<string, string>;
  body: Buffer;
}

const ASSETS = pageAssets(`${BASE_STYLE}
body{padding:0;background:var(--surface)}
.top{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem 1.5rem;padding:.625rem 1rem;border-bottom:1px solid var(--line)}
.top a{display:inline-flex;align-items:center;min-height:2.75rem;color:inherit;text-decoration:none}
.top .name{font-weight:700}
.top form{flex:1 1 14rem;display:flex;gap:.5rem;max-width:30rem;margin-inline-start:auto}
.top input{flex:1;min-width:0;min-height:2.75rem;padding:.25rem .75rem;border:1px solid var(--edge);border-radius:.75rem;
background:var(--inset);color:inherit;font:inherit}
.top button{min-height:2.75rem;padding:.25rem 1rem;border:0;border-radius:.75rem;background:var(--accent);
color:var(--on-accent);font:inherit;font-weight:600;cursor:pointer}
.columns{flex:1;display:grid;grid-template-columns:minmax(0,1fr);width:100%;max-width:76rem;margin:0 auto}
.columns nav{padding:1rem;border-top:1px solid var(--line)}
.about{padding:1.5rem 1rem 0}
.about h1+p{color:inherit}.about a{color:var(--on-tint)}
.columns nav p{margin:.75rem .75rem .25rem;color:var(--muted);font-size:.8125rem;font-weight:600}
.columns nav ul{display:flex;flex-wrap:wrap;margin:0;padding:0;list-style:none}
.columns nav a{display:flex;align-items:center;min-height:2.75rem;padding:.25rem .75rem;border-radius:.625rem;color:var(--text);
text-decoration:none}
.columns nav a[aria-current]{background:var(--tint);color:var(--on-tint);font-weight:600}
main,.columns main{flex:1;max-width:none;min-width:0;margin:0;padding:1.5rem 1rem 4rem;background:none;border-radius:0;
box-shadow:none}
main h1+p{color:inherit}
main p,main ul,main ol,main pre,main .wide{margin:0 0 1rem;max-width:52rem}
main h1{margin-bottom:1rem;font-size:2rem}
main h2{margin:2.5rem 0 .75rem;font-size:1.375rem;line-height:1.3;scroll-margin-top:1rem}
main h3{margin:2rem 0 .5rem;font-size:1.125rem;scroll-margin-top:1rem}
main li{margin-bottom:.375rem}
main a{color:var(--on-tint)}
main code{padding:.125rem .25rem;border-radius:.375rem;background:var(--inset);font:.875em/1.5 ui-monospace,monospace}
main pre{padding:1rem;border:1px solid var(--line);border-radius:.875rem;background:var(--inset);overflow-x:auto;
overflow-wrap:normal}
main pre code{padding:0;background:none;white-space:pre}
main .wide{max-width:none;overflow-x:auto;overflow-wrap:normal}
main table{border-collapse:collapse;font-size:.9375rem}
main th,main td{padding:.5rem .75rem;border-bottom:1px solid var(--line);text-align:start;vertical-align:top}
main th::first-letter{text-transform:uppercase}
main td:last-child{min-width:14rem}
main img{max-width:100%;height:auto;border:1px solid var(--line);border-radius:.875rem}
.cards,.results{padding:0;list-style:none}
.results li{margin-bottom:1.25rem}
.results a{font-weight:600}
.results small{margin-inline-start:.5rem;color:var(--muted);font-size:.875rem}
.results p{margin:.125rem 0 0;color:var(--muted)}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,15rem),1fr));gap:.75rem;max-width:none}
.cards li{margin:0}
.cards a{display:block;height:100%;padding:1rem;border:1px solid var(--line);border-radius:.875rem;color:inherit;
text-decoration:none}
.cards b{display:block;color:var(--on-tint)}
@media (hover:hover){.cards a:hover,.columns nav a:hover{background:var(--inset)}}
@media (max-width:40rem){
main thead{display:block;position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
main table,main tbody,main tr,main td{display:block}
main tr{padding:.5rem 0;border-bottom:1px solid var(--line)}
main td,main td:last-child{min-width:0;padding:.125rem 0;border:0;overflow-wrap:anywhere}
main td:first-child{font-weight:600}
main td:empty{display:none}
main td+td[data-column]::before{content:attr(data-column) ": ";color:var(--muted)}
}
@media (min-width:56rem){
.columns{grid-template-columns:16rem minmax(0,1fr);gap:2rem}
.columns nav{grid-area:1/1;padding:1.5rem 0 2rem 1rem;border:0}
.columns main{grid-area:1/2}
.top .contents{display:none}
.columns nav ul{flex-direction:column}
.columns nav a{min-height:2.25rem}
main,.columns main{padding:2rem 1.5rem 5rem}}
@media print{.top,.columns nav{display:none}}`);

/** Content security policy of pages without scripts. */
const POLICY = `${ASSETS.policy({ forms: true })}; form-action 'self'`;

/** Parts of a documentation page. */
interface PageParts {
  title: string;
  /** Address of the page itself, which the navigation marks. */
  href?: string;
  main: Html;
  /** The search query. */
  question?: string;
  /** Additional head content, and the policy if it needs another one. */
  extra?: { head: Html; policy?: string };
  /**
   * True if the page uses the full width, without the side navigation, and has its own landmarks.
   */
  isWide?: boolean;
}

const link = (href: string, title: string, current: string | undefined) =>
  html`<li><a href="${href}"${href === current ? html` aria-current="page"` : NOTHING}>${title}</a></li>`;

/** Creates the function that makes pages with the navigation of these guides. */
export function layoutOf(guides: readonly Guide[]) {
  const groups = [...new Set(guides.map(({ group }) => group))];

  const navigation = (
    current: string | undefined,
  ) => html`<nav id="navigation" aria-label="Documentation">
${groups.map(
  (group) => html`<p id="${anchorOf(group)}">${group}</p>
<ul aria-labelledby="${anchorOf(group)}">${guides
    .filter((guide) => guide.group === group)
    .map(({ name, title }) => link(`/docs/${name}`, title, current))}</ul>
`,
)}<p id="nav-reference">Reference</p>
<ul aria-labelledby="nav-reference">${[
    link('/docs/api-reference', 'API reference', current),
    link('/docs/api-reference/errors', 'Errors', current),
  ]}</ul>
</nav>`;

  return ({ title, href, main, question = '', extra, isWide = false }: PageParts): DocsPage => {
    const content = html`<main>${main}</main>`;
    const { body } = wholePage(200, ASSETS, {
      language: 'en',
      title: `${title} · Documentation`,
      head: extra?.head ?? NOTHING,
      isIndexed: true,
      body: html`<header class="top"><a class="name" href="/docs">Documentation</a>
<a href="/docs/api-reference">API reference</a>
${isWide ? NOTHING : html`<a class="contents" href="#navigation">Contents</a>`}
<form role="search" action="/docs/search"><input type="search" name="q" value="${question}" maxlength="200" required aria-label="Search the documentation" placeholder="Search"><button>Search</button></form></header>
${isWide ? main : html`<div class="columns">${content}${navigation(href)}</div>`}`,
    });
    return {
      body,
      headers: {
        'Content-Type': 'text/html; charset=utf-8',
        'Cache-Control': 'no-cache',
        'Content-Security-Policy': extra?.policy ?? POLICY,
        'X-Content-Type-Options': 'nosniff',
        'Referrer-Policy': 'no-referrer',
        'Permissions-Policy': PERMISSIONS_POLICY,
        ETag: etagOf(body),
      },
    };
  };
}

/** Makes a page of a text for programs, of a media type. */
export function filePage(type: string, text: string): DocsPage {
  const body = Buffer.from(text);
  return {
    body,
    headers: {
      'Content-Type': `${type}; charset=utf-8`,
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'X-Content-Type-Options': 'nosniff',
      ETag: etagOf(body),
    },
  };
}

/** Returns the weak `ETag` of a page. */
const etagOf = (body: Buffer): string =>
  `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;

const anchorOf = (group: string): string => `nav-${group.toLowerCase()}`;

/** Makes a page of the documentation. */
export type MakePage = ReturnType<typeof layoutOf>;

/** Hash of the style sheet, for policies that allow additional styles. */
export const STYLE_SOURCE = /style-src ([^;]+)/.exec(POLICY)![1]!;

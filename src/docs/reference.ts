import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ERRORS } from '../errors.ts';
import { html } from '../web/layout.ts';
import { type DocsPage, type MakePage, STYLE_SOURCE } from './layout.ts';

const PACKAGE = fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json'));
const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string };

/**
 * Starts the component. The document contains the configured address of the API; requests go to the
 * page's own origin, which the policy allows.
 */
const START = `const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
const spec = await (await fetch('/openapi.json')).json();
spec.servers = [{ url: location.origin }];
/** Completes what the component leaves out for screen readers and keyboards, in every part that it draws. */
const complete = () => {
  const set = (selector, attributes) => {
    for (const element of document.querySelectorAll('#reference ' + selector)) {
      for (const [name, value] of Object.entries(attributes)) {
        if (element.getAttribute(name) !== value) element.setAttribute(name, value);
      }
    }
  };
  set('.information-container', { role: 'region', 'aria-label': 'About the API' });
  set('.scheme-container', { role: 'region', 'aria-label': 'Server' });
  set('.filter-container', { role: 'region', 'aria-label': 'Filter' });
  set('.filter-container input', { 'aria-label': 'Filter by tag or path' });
  set('#servers', { 'aria-label': 'Server' });
  set('.examples-select-element', { 'aria-label': 'Example' });
  set('.body-param__text', { 'aria-label': 'Body of the request' });
  set('.opblock-tag', { 'aria-level': '2' });
  set('h4, h5', { 'aria-level': '3' });
  set('td.col_header', { role: 'columnheader' });
  set('pre.microlight', { tabindex: '0' });
  // The button around it does the same.
  for (const link of document.querySelectorAll('.opblock-summary-control a[href]')) {
    link.removeAttribute('href');
  }
  // Has the id of the control in it.
  for (const label of document.querySelectorAll('label[id]:has([id])')) label.removeAttribute('id');
};
new MutationObserver(complete).observe(document.querySelector('#reference'), {
  childList: true,
  subtree: true,
});
SwaggerUIBundle({
  spec,
  dom_id: '#reference',
  presets: [SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout',
  deepLinking: true,
  filter: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  validatorUrl: null,
});
`;

/**
 * Colors with sufficient contrast (WCAG 1.4.3), marks for forced colors, and limits that keep every
 * part within the width of a phone.
 */
const LOOK = `.swagger-ui .info .title small{background:#4a5263}
.swagger-ui .info .title small.version-stamp{background:#3f6212}
.swagger-ui .info a,.swagger-ui a.link{color:var(--on-tint)}
.swagger-ui .btn.cancel{color:var(--bad)!important;border-color:var(--bad)!important}
.swagger-ui .btn.execute{background:#2257d2!important;border-color:#2257d2!important;color:#fff!important}
html:not(.dark-mode) .swagger-ui .opblock .opblock-summary-method{color:#000;text-shadow:none}
html:not(.dark-mode) .swagger-ui .btn.authorize,html:not(.dark-mode) .swagger-ui .btn.authorize span{color:#17703b}
html:not(.dark-mode) .swagger-ui .parameter__in{color:#595959}
html.dark-mode .swagger-ui .examples-select__section-label,html.dark-mode .swagger-ui td.header-col{color:#e4e6e6!important}
.swagger-ui .microlight span[style*="211, 99, 99"]{color:#ffa3a3!important}
.swagger-ui .opblock-body,.swagger-ui .responses-inner,.swagger-ui .table-container,.swagger-ui .opblock-section{
max-width:100%;overflow-x:auto}
@media (forced-colors:active){.swagger-ui .tablinks[aria-selected=true]{border-bottom:2px solid Highlight!important}}
@media (max-width:40rem){.swagger-ui .wrapper{padding:0 1rem}
.swagger-ui table,.swagger-ui tbody,.swagger-ui tr,.swagger-ui td{max-width:calc(100vw - 4rem)}
.swagger-ui .parameters thead,.swagger-ui .headers thead{display:none}
.swagger-ui .parameters,.swagger-ui .headers,.swagger-ui :is(.parameters,.headers) :is(tbody,tr,td){display:block;
width:auto;padding-inline:0}}
`;

const ownHash = createHash('sha256').update(START).update(LOOK).digest('hex').slice(0, 8);

/** Folder of the files; the version in its name lets them be cached forever. */
const FOLDER = `/docs/assets/swagger-ui-${version}-${ownHash}`;

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' ${STYLE_SOURCE}`,
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Makes the interactive reference of the API. */
export const referencePage = (makePage: MakePage): DocsPage =>
  makePage({
    title: 'API reference',
    href: '/docs/api-reference',
    isWide: true,
    main: html`<section class="about" aria-label="About the reference"><h1>API reference</h1>
<p>Choose <b>Authorize</b> and enter an API key to send requests from this page. The document itself is <a href="/openapi.json">openapi.json</a>; <a href="/docs/api">HTTP conventions</a> apply to all endpoints.</p>
<noscript><p>This page needs JavaScript.</p></noscript></section>
<div id="reference"></div>`,
    extra: {
      head: html`<link rel="stylesheet" href="${FOLDER}/swagger-ui.css">
<link rel="stylesheet" href="${FOLDER}/look.css">
<script src="${FOLDER}/swagger-ui-bundle.js" defer></script>
<script src="${FOLDER}/start.js" type="module"></script>
`,
      policy: POLICY,
    },
  });

const MEANINGS: Record<keyof typeof ERRORS, string> = {
  bad_request: 'The request is malformed: its JSON, content type, percent-encoding or size.',
  unauthorized: 'There is no API key, or it is unknown, revoked or expired.',
  forbidden: 'The key lacks a scope, the plan is too low, or the domain belongs to somebody else.',
  not_found: 'There is no such route, or no such record in this workspace.',
  conflict: 'The request conflicts with existing data, such as a key, name or id that is taken.',
  invite_expired: 'The resource existed and is permanently gone, such as the result of an old job.',
  unprocessable_entity:
    'The request is well-formed, but a field fails its rule; the message names it.',
  rate_limit_exceeded:
    'Too many requests in a minute; the header Retry-After says how long to wait.',
  internal_server_error: 'A fault on our side; the message has the id of the request.',
  service_unavailable:
    'The service has no capacity for this now; the header Retry-After says how long to wait.',
};

/**
 * Makes the page that `doc_url` of every error links to if the documentation is not hosted
 * elsewhere.
 */
export const errorsPage = (makePage: MakePage): DocsPage =>
  makePage({
    title: 'Errors of the API',
    href: '/docs/api-reference/errors',
    main: html`<h1>Errors of the API</h1>
<p>Every error has the body <code>{"error": {"code", "message", "doc_url"}}</code>.</p>
${Object.entries(ERRORS).map(
  ([code, { status, anchor }]) =>
    html`<h2 id="${anchor}">${status} ${code}</h2><p>${MEANINGS[code as keyof typeof ERRORS]}</p>`,
)}`,
  });

/** A file that the reference loads, compressed. */
export interface Asset {
  type: string;
  content: Buffer;
}

const COMPONENT = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
} as const;

const compress = promisify(gzip);
const assets = new Map<string, Promise<Asset>>();

/**
 * Finds the file of an address, compressed by gzip and read on first use; `undefined` if there is
 * none.
 */
export function findAsset(address: string): Promise<Asset> | undefined {
  const name = address.startsWith(`${FOLDER}/`) ? address.slice(FOLDER.length + 1) : '';
  const cached = assets.get(name);
  if (cached !== undefined) return cached;
  const asset = readAsset(name);
  if (asset !== undefined) assets.set(name, asset);
  return asset;
}

function readAsset(name: string): Promise<Asset> | undefined {
  if (name === 'start.js') {
    return compress(START).then((content) => ({ type: 'text/javascript; charset=utf-8', content }));
  }
  if (name === 'look.css') {
    return compress(LOOK).then((content) => ({ type: 'text/css; charset=utf-8', content }));
  }
  if (name !== 'swagger-ui.css' && name !== 'swagger-ui-bundle.js') return undefined;
  return readFile(path.join(path.dirname(PACKAGE), name))
    .then((content) => compress(content))
    .then((content) => ({ type: COMPONENT[name], content }));
}

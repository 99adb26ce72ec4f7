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
import { REFERENCE_SCRIPT } from './reference-script.ts';

const PACKAGE = fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json'));
const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string };

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
.swagger-ui .examples{margin:0;padding:1.25rem;border-top:1px solid var(--line)}
.examples .choices,.examples .actions,.examples [role=tablist]{display:flex;flex-wrap:wrap;align-items:center;gap:.25rem .5rem}
.examples .choices{justify-content:space-between;margin-bottom:.5rem}
.examples .actions{font-size:.875rem;color:var(--muted)}
.examples button,#keys button{min-height:2.75rem;padding:.25rem .875rem;border:1px solid var(--edge);border-radius:.625rem;
background:var(--surface);color:var(--text);font:inherit;font-size:.875rem;font-weight:600;cursor:pointer}
.examples [aria-selected=true]{border-color:transparent;background:var(--tint);color:var(--on-tint)}
.examples pre{max-width:none;margin:0;padding:1rem;border:1px solid var(--line);border-radius:.875rem;background:var(--inset);
color:var(--text);font:.8125rem/1.6 ui-monospace,monospace;overflow-x:auto;overflow-wrap:normal;white-space:pre}
#keys{width:min(30rem,calc(100vw - 2rem));padding:1.5rem;border:1px solid var(--line);border-radius:1rem;
background:var(--surface);color:var(--text)}
#keys::backdrop{background:rgb(0 0 0/.5)}
#keys h2{margin:0 0 .5rem;font-size:1.25rem}
#keys label{display:block;margin-top:.75rem;font-weight:600}
#keys :is(input,select){display:block;width:100%;min-height:2.75rem;margin:.25rem 0 .75rem;padding:.25rem .75rem;
border:1px solid var(--edge);border-radius:.75rem;background:var(--inset);color:inherit;font:inherit;font-weight:400}
#keys .buttons{display:flex;flex-wrap:wrap;gap:.5rem}
#keys form .buttons button:first-child{border:0;background:var(--accent);color:var(--on-accent)}
#keys [role=status]{min-height:1.5rem;margin:.75rem 0 0}
#keys fieldset{margin:.75rem 0 0;padding:1rem 0 0;border:0;border-top:1px solid var(--line)}
#keys legend{float:left;width:100%;padding:0;font-weight:600}
@media (forced-colors:active){.examples [aria-selected=true]{border-color:Highlight}
.swagger-ui .tablinks[aria-selected=true]{border-bottom:2px solid Highlight!important}}
@media (max-width:40rem){.swagger-ui .wrapper{padding:0 1rem}
.swagger-ui table,.swagger-ui tbody,.swagger-ui tr,.swagger-ui td{max-width:calc(100vw - 4rem)}
.swagger-ui .parameters thead,.swagger-ui .headers thead{display:none}
.examples .choices,.examples .choices>*{gap:.375rem}.examples .choices button{padding-inline:.5rem}
.swagger-ui .parameters,.swagger-ui .headers,.swagger-ui :is(.parameters,.headers) :is(tbody,tr,td){display:block;
width:auto;padding-inline:0}}
`;

const ownHash = createHash('sha256')
  .update(REFERENCE_SCRIPT)
  .update(LOOK)
  .digest('hex')
  .slice(0, 8);

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

/** The dialog in which a reader enters or creates the key of the examples. */
const KEYS = html`<dialog id="keys" aria-labelledby="keys-title"><form method="dialog">
<h2 id="keys-title">Use a key in the examples</h2>
<p>The key stays in this tab. It is written into the examples, and sent nowhere.</p>
<label>API key <input name="key" autocomplete="off" spellcheck="false" placeholder="sk_…" maxlength="200"></label>
<div class="buttons"><button>Use this key</button>
<button type="button" name="forget" hidden>Forget the key</button>
<button type="button" name="close">Cancel</button></div>
<p role="status"></p>
<fieldset name="create" hidden><legend>Or create one</legend>
<p>It expires in a day, and may do all that you may do in the workspace.</p>
<label>Workspace <select name="workspace"></select></label>
<button type="button">Create a key</button></fieldset>
</form></dialog>`;

/** Makes the interactive reference of the API. */
export const referencePage = (makePage: MakePage): DocsPage =>
  makePage({
    title: 'API reference',
    href: '/docs/api-reference',
    isWide: true,
    main: html`<section class="about" aria-label="About the reference"><h1>API reference</h1>
<p>Choose <b>Authorize</b> and enter an API key to send requests from this page. The document itself is <a href="/openapi.json">openapi.json</a>; <a href="/docs/api">HTTP conventions</a> apply to all endpoints. <b>Use a key</b> under an operation to fill a key in its examples.</p>
<noscript><p>This page needs JavaScript.</p></noscript></section>
<div id="reference"></div>
${KEYS}`,
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
    return compress(REFERENCE_SCRIPT).then((content) => ({
      type: 'text/javascript; charset=utf-8',
      content,
    }));
  }
  if (name === 'look.css') {
    return compress(LOOK).then((content) => ({ type: 'text/css; charset=utf-8', content }));
  }
  if (name !== 'swagger-ui.css' && name !== 'swagger-ui-bundle.js') return undefined;
  return readFile(path.join(path.dirname(PACKAGE), name))
    .then((content) => compress(content))
    .then((content) => ({ type: COMPONENT[name], content }));
}

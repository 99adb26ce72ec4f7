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

/** Folder of the component's files, with its version, so that they can be cached for good. */
const FOLDER = `/docs/assets/swagger-ui-${version}`;

/**
 * Starts the component. The reference names the address of the API as it is configured; requests go to the one that the page
 * comes from, which the policy allows.
 */
const START = `const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
const spec = await (await fetch('/openapi.json')).json();
spec.servers = [{ url: location.origin }];
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

/** The interactive reference of the API. */
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
  conflict: 'The request conflicts with what is there: a key, name or id that is taken.',
  invite_expired: 'The thing was there and is gone for good, such as the result of an old job.',
  unprocessable_entity:
    'The request is well-formed, but a field fails its rule; the message names it.',
  rate_limit_exceeded:
    'Too many requests in a minute; the header Retry-After says how long to wait.',
  internal_server_error: 'A fault on our side; the message has the id of the request.',
};

/** The page that `doc_url` of every error leads to, where the documentation is not hosted elsewhere. */
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

/** The file of an address, compressed by gzip; read when it is first asked for. `undefined`: there is none. */
export function findAsset(address: string): Promise<Asset> | undefined {
  const name = address.startsWith(`${FOLDER}/`) ? address.slice(FOLDER.length + 1) : '';
  const known = assets.get(name);
  if (known !== undefined) return known;
  const asset = readAsset(name);
  if (asset !== undefined) assets.set(name, asset);
  return asset;
}

function readAsset(name: string): Promise<Asset> | undefined {
  if (name === 'start.js') {
    return compress(START).then((content) => ({ type: 'text/javascript; charset=utf-8', content }));
  }
  if (name !== 'swagger-ui.css' && name !== 'swagger-ui-bundle.js') return undefined;
  return readFile(path.join(path.dirname(PACKAGE), name))
    .then((content) => compress(content))
    .then((content) => ({ type: COMPONENT[name], content }));
}

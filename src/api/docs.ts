import type { Express, Request, Response } from 'express';
import Negotiator from 'negotiator';
import { config } from '../config.ts';
import type { Documentation } from '../docs/documentation.ts';
import type { DocsPage } from '../docs/layout.ts';
import { readOpenApi } from '../docs/openapi-file.ts';
import { Refusal } from '../errors.ts';
import { isAmong } from '../http/etag.ts';
import { once } from '../infra/memoize.ts';
import { networkOf } from '../infra/network.ts';
import type { Admission } from './admission.ts';
import { isConsoleBuilt } from './console.ts';
import { allowOrigin } from './cors.ts';

/** Maximum length of a search query, in characters. */
const MAX_QUERY_LENGTH = 200;
const YEAR = 'public, max-age=31536000, immutable';

/** Serves the documentation under `/docs`, and links to it at `/`. */
export function serveDocs(app: Express, admission: Admission): void {
  // Loaded at the first request, since few processes serve any.
  const documentation = once(async () => {
    const { makeDocumentation } = await import('../docs/documentation.ts');
    return makeDocumentation(readOpenApi(config()), config().BASE_URL);
  });
  app.get('/', showRoot);
  // Browsers request it automatically.
  app.get('/favicon.ico', (_request, response) => void response.status(204).end());
  app.get('/docs/search', async (request, response) => {
    response.locals['route'] = '/docs';
    await admission.takePublic(networkOf(request.ip ?? ''), response);
    const question = new URL(request.url, 'http://localhost').searchParams.get('q') ?? '';
    const { search } = await documentation();
    sendPage(search(question.slice(0, MAX_QUERY_LENGTH)), request, response);
  });
  app.get(['/docs', '/docs/*path', '/llms.txt', '/llms-full.txt'], async (request, response) => {
    response.locals['route'] = '/docs';
    await showDocs(await documentation(), request, response);
  });
}

async function showDocs(
  { pages, pictures }: Documentation,
  request: Request,
  response: Response,
): Promise<void> {
  const path = request.path.replace(/\/$/, '');
  const page = pages.get(path);
  if (page !== undefined) return sendPage(page, request, response);
  const picture = pictures.get(path.slice('/docs/pictures/'.length));
  if (path.startsWith('/docs/pictures/') && picture !== undefined) {
    const type = path.endsWith('.svg') ? 'image/svg+xml' : 'image/png';
    const policy = "default-src 'none'; sandbox";
    response.set({ 'Content-Type': type, 'Cache-Control': 'public, max-age=3600' });
    response.set({ 'Content-Security-Policy': policy, 'X-Content-Type-Options': 'nosniff' });
    response.end(picture);
    return;
  }
  const { findAsset } = await import('../docs/reference.ts');
  const asset = await findAsset(path);
  if (asset === undefined) throw new Refusal('not_found', `There is no ${path}`);
  response.set({ 'Content-Type': asset.type, 'Cache-Control': YEAR, 'Content-Encoding': 'gzip' });
  response.set('X-Content-Type-Options', 'nosniff').end(asset.content);
}

function sendPage({ headers, body }: DocsPage, request: Request, response: Response): void {
  allowOrigin(request, response, true);
  response.set(headers);
  if (isAmong(request.get('if-none-match'), headers['ETag']!.slice('W/'.length))) {
    response.status(304).end();
    return;
  }
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** Redirects people to the console if there is one, and lists useful addresses for programs. */
function showRoot(request: Request, response: Response): void {
  response.locals['route'] = '/';
  const types = ['application/json', 'text/html'];
  const isBrowser = new Negotiator(request).mediaType(types) === 'text/html';
  response.vary('Accept');
  if (isBrowser) return response.redirect(302, isConsoleBuilt() ? '/console' : '/docs');
  allowOrigin(request, response, true);
  response.json({ docs: '/docs', reference: '/openapi.json', console: '/console' });
}

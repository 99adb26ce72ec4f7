import type { Express, Request, Response } from 'express';
import { PEERS } from '../compat/peers.ts';
import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import { isConsoleBuilt } from './console.ts';
import { allowOrigin } from './cors.ts';

/** Days until the contents of `security.txt` expire. RFC 9116 recommends less than a year. */
const VALID_DAYS = 180;
const DAY_MS = 86_400_000;
const CATALOG_PATH = '/.well-known/api-catalog';
/** Profile of linksets that are catalogs of APIs (RFC 9727, section 4.2). */
const CATALOG_PROFILE = 'https://www.rfc-editor.org/info/rfc9727';

/** Serves the files by which programs find people and descriptions of the API. */
export function serveWellKnown(app: Express): void {
  serve(app, '/.well-known/security.txt', (response) => {
    if (config().SECURITY_CONTACT === '') return false;
    response.type('text/plain; charset=utf-8').send(securityText());
    return true;
  });
  // https://w3c.github.io/webappsec-change-password-url/
  serve(app, '/.well-known/change-password', (response) => {
    if (!isConsoleBuilt()) return false;
    response.redirect(302, '/console/sign-in/profile');
    return true;
  });
  serve(app, CATALOG_PATH, (response) => {
    response.set('Link', `<${config().BASE_URL}${CATALOG_PATH}>; rel="api-catalog"`);
    response.set('Content-Type', `application/linkset+json; profile="${CATALOG_PROFILE}"`);
    response.end(JSON.stringify(catalog()));
    return true;
  });
}

/** Serves a file to pages of any origin. @param answer returns false if there is no such file */
function serve(app: Express, path: string, answer: (response: Response) => boolean): void {
  app.get(path, (request: Request, response: Response) => {
    response.locals['route'] = path;
    allowOrigin(request, response, true);
    if (!answer(response)) throw new Refusal('not_found', `There is no ${path}`);
  });
}

/** The file of RFC 9116. Its date of expiry is later each day, since it is made for each request. */
function securityText(): string {
  const { BASE_URL, SECURITY_CONTACT } = config();
  const expires = new Date((Math.floor(Date.now() / DAY_MS) + VALID_DAYS) * DAY_MS);
  return [
    `Contact: ${SECURITY_CONTACT}`,
    `Expires: ${expires.toISOString()}`,
    `Canonical: ${BASE_URL}/.well-known/security.txt`,
    'Preferred-Languages: en',
    '',
  ].join('\n');
}

/** The APIs of this service as a linkset (RFC 9264): its own, and those of other services. */
function catalog(): object {
  const { BASE_URL } = config();
  const link = (path: string, type: string) => [{ href: BASE_URL + path, type }];
  return {
    linkset: [
      {
        anchor: BASE_URL,
        'service-desc': link('/openapi.json', 'application/json'),
        'service-doc': link('/docs', 'text/html'),
        status: link('/healthz', 'application/json'),
      },
      ...PEERS.map(({ path }) => ({
        anchor: BASE_URL + path,
        'service-doc': link('/docs/compat', 'text/html'),
      })),
    ],
  };
}

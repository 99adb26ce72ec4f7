import type { DisplayPage, ResolverLink } from '../lookup/display-page.ts';
import { typeUri } from '../routing/resolver.ts';
import type { Page } from '../web/layout.ts';

/* Answers of a GS1-conformant resolver, which any web page may read. */

/** JSON-LD context of linksets. */
const CONTEXT = 'https://ref.gs1.org/standards/resolver/linkset-context';
const CONTEXT_LINK = `<${CONTEXT}>; rel="http://www.w3.org/ns/json-ld#context"; type="application/ld+json"`;

const METHODS = 'GET, HEAD, OPTIONS';
const SHARED = ['Access-Control-Allow-Origin', '*', 'Access-Control-Expose-Headers', 'Link'];

/** The `Link` header that names the list of all links. */
const listLink = (uri: string): string =>
  `<${uri}?linkType=linkset>; rel="linkset"; type="application/linkset+json"`;

/** Builds the redirect to a link. @param uri the requested GS1 Digital Link, without its query */
export const resolvedAnswer = (status: number, destination: string, uri: string): Page => ({
  status,
  headers: [
    'Location',
    destination,
    'Cache-Control',
    'private, no-store',
    'Content-Length',
    '0',
    'Vary',
    'Accept, Accept-Language',
    'Link',
    listLink(uri),
    ...SHARED,
  ],
  body: Buffer.alloc(0),
});

/** Builds the answer to `OPTIONS`, with which browsers ask before a request from another site. */
export const optionsAnswer = (): Page => ({
  status: 204,
  headers: [
    'Allow',
    METHODS,
    'Access-Control-Allow-Methods',
    METHODS,
    'Access-Control-Allow-Headers',
    '*',
    ...SHARED,
  ],
  body: Buffer.alloc(0),
});

const target = ({ url, title, language, mediaType }: ResolverLink) => ({
  href: url,
  title,
  type: mediaType,
  hreflang: language === undefined ? undefined : [language],
});

/** The links of one Digital Link as a context of a linkset (RFC 9264, 4.2). */
function linkContextOf(origin: string, { title, resolver }: DisplayPage): object {
  const { path, links } = resolver!;
  const types = [...new Set(links.map(({ type }) => type))];
  const [first] = links;
  const translations = links.filter(({ type, language }) => type === first?.type && language);
  const byType = types.map((type) => [
    typeUri(type),
    links.filter((link) => link.type === type).map(target),
  ]);
  return {
    anchor: `${origin}${path}`,
    itemDescription: title,
    [typeUri('gs1:defaultLink')]: first && [{ href: first.url, title: first.title }],
    [typeUri('gs1:defaultLinkMulti')]:
      translations.length === 0 ? undefined : translations.map(target),
    ...Object.fromEntries(byType),
  };
}

/**
 * Builds the list of links of a GS1 Digital Link.
 *
 * @param pages its own, and those of the Digital Links above it up to the primary key
 * @param origin of the short domain
 */
export function linksetAnswer(pages: readonly DisplayPage[], origin: string): Page {
  const body = Buffer.from(
    JSON.stringify({ linkset: pages.map((page) => linkContextOf(origin, page)) }),
  );
  const uri = `${origin}${pages[0]!.resolver!.path}`;
  return {
    status: 200,
    headers: [
      'Content-Type',
      'application/linkset+json',
      'Content-Length',
      String(body.length),
      'Cache-Control',
      'private, no-store',
      'Vary',
      'Accept',
      'X-Content-Type-Options',
      'nosniff',
      'Link',
      `${listLink(uri)}, ${CONTEXT_LINK}`,
      ...SHARED,
    ],
    body,
  };
}

/** Builds the file `/.well-known/gs1resolver` (Resolver Description File) of a domain. */
export function descriptionAnswer(origin: string): Page {
  const body = Buffer.from(
    JSON.stringify({
      name: new URL(origin).host,
      resolverRoot: origin,
      supportedPrimaryKeys: ['all'],
      supportedLinkType: [{ namespace: typeUri('gs1:'), prefix: 'gs1:' }],
      linkTypeDefaultCanBeLinkset: false,
      contextFile: CONTEXT,
    }),
  );
  const headers = ['Content-Type', 'application/json', 'Content-Length', String(body.length)];
  return { status: 200, headers: [...headers, 'Cache-Control', 'no-store', ...SHARED], body };
}

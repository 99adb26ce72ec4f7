import { Refusal } from '../../errors.ts';
import { ok } from '../../http/route.ts';
import { type Fields, fieldsOf, type PeerRoute } from '../peer.ts';
import { translated } from './translated.ts';

/** Text of the data of a page that Dub shows before an app, if there is none. */
const NO_DEEP_VIEW = '{}';

const DOMAIN_FIELDS = [
  'id',
  'slug',
  'verified',
  'primary',
  'archived',
  'placeholder',
  'expiredUrl',
  'notFoundUrl',
  'createdAt',
  'updatedAt',
];

/**
 * Files of a domain with which phones open its links in an app: JSON texts for Dub, JSON in this
 * API.
 */
const SITE_FILES = ['assetLinks', 'appleAppSiteAssociation'];

const toDubDomain = (domain: Fields): Fields => ({
  ...Object.fromEntries(DOMAIN_FIELDS.map((name) => [name, domain[name]])),
  ...Object.fromEntries(
    SITE_FILES.map((name) => [name, domain[name] && JSON.stringify(domain[name])]),
  ),
  deepviewData: NO_DEEP_VIEW,
  logo: null,
  registeredDomain: null,
});

/** Fields of Dub's domains that can only be null, and the one that null does not clear. */
const NOTHING = ['logo', 'placeholder'];

function fromDubDomain({ deepviewData, ...body }: Fields): Fields {
  if (![undefined, null, '', NO_DEEP_VIEW].includes(deepviewData as string)) {
    throw new Refusal(
      'unprocessable_entity',
      'deepviewData must be empty: this service has no pages before apps',
    );
  }
  const setFields = Object.entries(body).filter(
    ([name, value]) => !(NOTHING.includes(name) && value === null),
  );
  return Object.fromEntries(
    setFields.map(([name, value]) => [
      name,
      SITE_FILES.includes(name) ? parsed(name, value) : value,
    ]),
  );
}

function parsed(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (value === '') return null;
  try {
    return JSON.parse(value);
  } catch {
    throw new Refusal('unprocessable_entity', `${name} must be the text of a JSON file`);
  }
}

/** Routes for domains. */
export const domainRoutes: PeerRoute[] = [
  translated('post', '/domains', 'createDomain', {
    body: fromDubDomain,
    output: toDubDomain,
    status: 201,
  }),
  translated('get', '/domains', 'listDomains', {
    query: (query) => query,
    output: (domains: Fields[]) => domains.map(toDubDomain),
  }),
  {
    method: 'get',
    path: '/domains/{slug}',
    operation: 'retrieveDomain',
    async answer({ params: { slug } }, call) {
      const { body } = await call<Fields>('retrieveDomain', { params: { id: slug! } });
      return ok(toDubDomain(body));
    },
  },
  {
    method: 'post',
    path: '/domains/{slug}/primary',
    operation: 'updateDomain',
    async answer({ params: { slug } }, call) {
      const input = { params: { id: slug! }, body: { primary: true } };
      return ok(toDubDomain((await call<Fields>('updateDomain', input)).body));
    },
  },
  {
    method: 'patch',
    path: '/domains/{slug}',
    operation: 'updateDomain',
    takes: 'json',
    async answer({ params, body }, call) {
      const { slug, ...changes } = fromDubDomain(fieldsOf(body));
      if (slug !== undefined && slug !== params['slug']) {
        throw new Refusal(
          'unprocessable_entity',
          'slug must not change: add another domain instead of renaming this one',
        );
      }
      const input = { params: { id: params['slug']! }, body: changes };
      return ok(toDubDomain((await call<Fields>('updateDomain', input)).body));
    },
  },
  {
    method: 'delete',
    path: '/domains/{slug}',
    operation: 'deleteDomain',
    async answer({ params: { slug } }, call) {
      await call('deleteDomain', { params: { id: slug! } });
      return ok({ slug });
    },
  },
];

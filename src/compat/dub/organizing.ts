import { Refusal } from '../../errors.ts';
import type { Query } from '../../http/input.ts';
import { ok } from '../../http/route.ts';
import { definedFields, type Fields, fieldsOf, lastValue, omit, type PeerRoute } from '../peer.ts';
import { translated } from './translated.ts';

/** Converts a tag for this API: `tag` is the older name of `name`. */
function fromDubTag({ tag, ...fields }: Fields): Fields {
  return tag === undefined ? fields : { name: tag, ...fields };
}

/** Converts a folder for this API. All members of a workspace may write to its folders. */
function fromDubFolder(body: Fields): Fields {
  const { accessLevel, ...folder } = definedFields(body);
  return accessLevel === undefined || accessLevel === 'write' ? folder : { accessLevel, ...folder };
}

const toDubFolder = ({ id, name, createdAt }: Fields): Fields => ({
  id,
  name,
  description: null,
  type: 'default',
  accessLevel: null,
  createdAt,
  updatedAt: createdAt,
});

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
  logo: null,
  registeredDomain: null,
});

/** Fields of Dub's domains that can only be null, and the one that null does not clear. */
const NOTHING = ['logo', 'placeholder'];

function fromDubDomain(body: Fields): Fields {
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

const same = (query: Query): Query => query;

/** Minimum quiet zone that is drawn, in modules. */
const MIN_MARGIN = 4;

/** Routes for tags, folders, domains and the image of a QR code. */
export const organizingRoutes: PeerRoute[] = [
  translated('post', '/tags', 'createTag', { body: fromDubTag, status: 201 }),
  translated('get', '/tags', 'listTags', { query: same }),
  translated('patch', '/tags/{id}', 'updateTag', { body: fromDubTag }),
  translated('delete', '/tags/{id}', 'deleteTag'),
  translated('post', '/folders', 'createFolder', {
    body: fromDubFolder,
    output: toDubFolder,
    status: 201,
  }),
  translated('get', '/folders', 'listFolders', {
    query: same,
    output: (folders: Fields[]) => folders.map(toDubFolder),
  }),
  translated('patch', '/folders/{id}', 'updateFolder', {
    body: fromDubFolder,
    output: toDubFolder,
  }),
  translated('delete', '/folders/{id}', 'deleteFolder'),
  translated('post', '/domains', 'createDomain', {
    body: fromDubDomain,
    output: toDubDomain,
    status: 201,
  }),
  translated('get', '/domains', 'listDomains', {
    query: same,
    output: (domains: Fields[]) => domains.map(toDubDomain),
  }),
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
  {
    method: 'get',
    path: '/qr',
    operation: 'renderQrCode',
    async answer({ query }, call) {
      // Only a requested logo is drawn.
      const { margin, ...look } = omit(query, ['hideLogo', 'includeMargin']);
      const wide = Number(lastValue(query, 'margin')) > MIN_MARGIN ? { margin: margin! } : {};
      return call('renderQrCode', { query: { ...look, ...wide } });
    },
  },
];

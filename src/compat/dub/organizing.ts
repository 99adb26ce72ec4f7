import { Refusal } from '../../errors.ts';
import { type Answer, ok } from '../../http/route.ts';
import { definedFields, type Fields, fieldsOf, lastValue, omit, type PeerRoute } from '../peer.ts';

const created = (body: unknown): Answer => ({ status: 201, body });

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

/** Minimum quiet zone that is drawn, in modules. */
const MIN_MARGIN = 4;

/** Routes for tags, folders, domains and the image of a QR code. */
export const organizingRoutes: PeerRoute[] = [
  {
    method: 'post',
    path: '/tags',
    operation: 'createTag',
    takes: 'json',
    async answer({ body }, call) {
      return created((await call('createTag', { body: fromDubTag(fieldsOf(body)) })).body);
    },
  },
  {
    method: 'get',
    path: '/tags',
    operation: 'listTags',
    async answer({ query }, call) {
      return ok((await call('listTags', { query })).body);
    },
  },
  {
    method: 'patch',
    path: '/tags/{id}',
    operation: 'updateTag',
    takes: 'json',
    async answer({ params, body }, call) {
      return ok((await call('updateTag', { params, body: fromDubTag(fieldsOf(body)) })).body);
    },
  },
  {
    method: 'delete',
    path: '/tags/{id}',
    operation: 'deleteTag',
    async answer({ params }, call) {
      return ok((await call('deleteTag', { params })).body);
    },
  },
  {
    method: 'post',
    path: '/folders',
    operation: 'createFolder',
    takes: 'json',
    async answer({ body }, call) {
      const folder = fromDubFolder(fieldsOf(body));
      return created(toDubFolder((await call<Fields>('createFolder', { body: folder })).body));
    },
  },
  {
    method: 'get',
    path: '/folders',
    operation: 'listFolders',
    async answer({ query }, call) {
      return ok((await call<Fields[]>('listFolders', { query })).body.map(toDubFolder));
    },
  },
  {
    method: 'patch',
    path: '/folders/{id}',
    operation: 'updateFolder',
    takes: 'json',
    async answer({ params, body }, call) {
      const changes = fromDubFolder(fieldsOf(body));
      return ok(toDubFolder((await call<Fields>('updateFolder', { params, body: changes })).body));
    },
  },
  {
    method: 'delete',
    path: '/folders/{id}',
    operation: 'deleteFolder',
    async answer({ params }, call) {
      return ok((await call('deleteFolder', { params })).body);
    },
  },
  {
    method: 'post',
    path: '/domains',
    operation: 'createDomain',
    takes: 'json',
    async answer({ body }, call) {
      const domain = fromDubDomain(fieldsOf(body));
      return created(toDubDomain((await call<Fields>('createDomain', { body: domain })).body));
    },
  },
  {
    method: 'get',
    path: '/domains',
    operation: 'listDomains',
    async answer({ query }, call) {
      return ok((await call<Fields[]>('listDomains', { query })).body.map(toDubDomain));
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

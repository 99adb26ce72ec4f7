import { Refusal } from '../../errors.ts';
import { ok } from '../../http/answer.ts';
import type { Answer } from '../../http/route.ts';
import { type Fields, fieldsOf, given, one, type PeerRoute, without } from '../peer.ts';

const created = (body: unknown): Answer => ({ status: 201, body });

/** A tag as our endpoints take it: `tag` is the older name of `name`. */
function fromDubTag({ tag, ...fields }: Fields): Fields {
  return tag === undefined ? fields : { name: tag, ...fields };
}

/** A folder as our endpoints take it. Everybody in a workspace may write to its folders. */
function fromDubFolder(body: Fields): Fields {
  const { accessLevel, ...folder } = given(body);
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

/** Files of a domain by which phones open its links in an app: texts of JSON for Dub, JSON here. */
const SITE_FILES = ['assetLinks', 'appleAppSiteAssociation'];

const toDubDomain = (domain: Fields): Fields => ({
  ...Object.fromEntries(DOMAIN_FIELDS.map((name) => [name, domain[name]])),
  ...Object.fromEntries(
    SITE_FILES.map((name) => [name, domain[name] && JSON.stringify(domain[name])]),
  ),
  logo: null,
  registeredDomain: null,
});

/** Fields of Dub's domain that can only be null, and the one that null does not clear. */
const NOTHING = ['logo', 'placeholder'];

function fromDubDomain(body: Fields): Fields {
  const said = Object.entries(body).filter(
    ([name, value]) => !(NOTHING.includes(name) && value === null),
  );
  return Object.fromEntries(
    said.map(([name, value]) => [name, SITE_FILES.includes(name) ? parsed(name, value) : value]),
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

/** Narrowest quiet zone that is drawn here, in modules. */
const LEAST_MARGIN = 4;

/** Tags, folders, domains and the picture of a QR code. */
export const organizingRoutes: PeerRoute[] = [
  {
    method: 'post',
    path: '/tags',
    operation: 'createTag',
    takes: 'json',
    async answer({ body }, ask) {
      return created((await ask('createTag', { body: fromDubTag(fieldsOf(body)) })).body);
    },
  },
  {
    method: 'get',
    path: '/tags',
    operation: 'listTags',
    async answer({ query }, ask) {
      return ok((await ask('listTags', { query })).body);
    },
  },
  {
    method: 'patch',
    path: '/tags/{id}',
    operation: 'updateTag',
    takes: 'json',
    async answer({ params, body }, ask) {
      return ok((await ask('updateTag', { params, body: fromDubTag(fieldsOf(body)) })).body);
    },
  },
  {
    method: 'delete',
    path: '/tags/{id}',
    operation: 'deleteTag',
    async answer({ params }, ask) {
      return ok((await ask('deleteTag', { params })).body);
    },
  },
  {
    method: 'post',
    path: '/folders',
    operation: 'createFolder',
    takes: 'json',
    async answer({ body }, ask) {
      const folder = fromDubFolder(fieldsOf(body));
      return created(toDubFolder((await ask<Fields>('createFolder', { body: folder })).body));
    },
  },
  {
    method: 'get',
    path: '/folders',
    operation: 'listFolders',
    async answer({ query }, ask) {
      return ok((await ask<Fields[]>('listFolders', { query })).body.map(toDubFolder));
    },
  },
  {
    method: 'patch',
    path: '/folders/{id}',
    operation: 'updateFolder',
    takes: 'json',
    async answer({ params, body }, ask) {
      const changes = fromDubFolder(fieldsOf(body));
      return ok(toDubFolder((await ask<Fields>('updateFolder', { params, body: changes })).body));
    },
  },
  {
    method: 'delete',
    path: '/folders/{id}',
    operation: 'deleteFolder',
    async answer({ params }, ask) {
      return ok((await ask('deleteFolder', { params })).body);
    },
  },
  {
    method: 'post',
    path: '/domains',
    operation: 'createDomain',
    takes: 'json',
    async answer({ body }, ask) {
      const domain = fromDubDomain(fieldsOf(body));
      return created(toDubDomain((await ask<Fields>('createDomain', { body: domain })).body));
    },
  },
  {
    method: 'get',
    path: '/domains',
    operation: 'listDomains',
    async answer({ query }, ask) {
      return ok((await ask<Fields[]>('listDomains', { query })).body.map(toDubDomain));
    },
  },
  {
    method: 'patch',
    path: '/domains/{slug}',
    operation: 'updateDomain',
    takes: 'json',
    async answer({ params, body }, ask) {
      const { slug, ...changes } = fromDubDomain(fieldsOf(body));
      if (slug !== undefined && slug !== params['slug']) {
        throw new Refusal(
          'unprocessable_entity',
          'slug must not change: add another domain instead of renaming this one',
        );
      }
      const asked = { params: { id: params['slug']! }, body: changes };
      return ok(toDubDomain((await ask<Fields>('updateDomain', asked)).body));
    },
  },
  {
    method: 'delete',
    path: '/domains/{slug}',
    operation: 'deleteDomain',
    async answer({ params: { slug } }, ask) {
      await ask('deleteDomain', { params: { id: slug! } });
      return ok({ slug });
    },
  },
  {
    method: 'get',
    path: '/qr',
    operation: 'renderQrCode',
    async answer({ query }, ask) {
      // No logo is drawn here but the one that is asked for.
      const { margin, ...look } = without(query, ['hideLogo', 'includeMargin']);
      const wide = Number(one(query, 'margin')) > LEAST_MARGIN ? { margin: margin! } : {};
      return ask('renderQrCode', { query: { ...look, ...wide } });
    },
  },
];

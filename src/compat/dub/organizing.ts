import type { Query } from '../../http/input.ts';
import { definedFields, type Fields, lastValue, omit, type PeerRoute } from '../peer.ts';
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
  accessLevel: 'write',
  createdAt,
  updatedAt: createdAt,
});

const same = (query: Query): Query => query;

/** Minimum quiet zone that is drawn, in modules. */
const MIN_MARGIN = 4;

/** Routes for tags, folders and the image of a QR code. */
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
  translated('get', '/folders/{id}', 'retrieveFolder', { output: toDubFolder }),
  translated('patch', '/folders/{id}', 'updateFolder', {
    body: fromDubFolder,
    output: toDubFolder,
  }),
  translated('delete', '/folders/{id}', 'deleteFolder'),
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

import {
  isTrue,
  MAX_RECORDS,
  numberOf,
  type ProviderWithApi,
  pageOf,
  tags,
  text,
} from './provider.ts';

const TEXTS = [
  'title',
  'description',
  'image',
  'comments',
  'password',
  'ios',
  'android',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
] as const;
const FLAGS = ['proxy', 'trackConversion', 'doIndex', 'publicStats', 'archived'] as const;

const plain = (name: string): string => name.replaceAll('_', '').toLowerCase();

/** Links of Dub, whose record resembles that of this service. */
export const dub: ProviderWithApi = {
  title: 'Dub',
  marks: [
    ['shortlink', 'destinationurl', 'clicks'],
    ['shortlink', 'destinationurl', 'createdat'],
    ['shortlink', 'url', 'workspaceid'],
  ],
  fields: [
    'shortLink',
    'url',
    ...TEXTS,
    ...FLAGS,
    'tagNames',
    'createdAt',
    'expiresAt',
    'expiredUrl',
    'geo',
    'importedClicks',
    'externalId',
    'disabled',
  ],
  links: (record) => [
    {
      shortLink: text(record, 'shortlink'),
      url: text(record, 'url', 'destinationurl'),
      ...Object.fromEntries(TEXTS.map((name) => [name, text(record, plain(name))])),
      ...Object.fromEntries(FLAGS.map((name) => [name, isTrue(record, plain(name))])),
      tagNames: tags(record['tags']),
      createdAt: text(record, 'createdat'),
      expiresAt: text(record, 'expiresat'),
      expiredUrl: text(record, 'expiredurl'),
      geo: record['geo'],
      importedClicks: text(record, 'clicks'),
      externalId: text(record, 'externalid', 'linkid', 'id'),
      disabled: text(record, 'disabledat') !== undefined,
    },
  ],
  api: {
    url: 'https://api.dub.co',
    headers: (token) => ({ authorization: `Bearer ${token}` }),
    async page(fetchJson, cursor) {
      const showArchived = 'true';
      const after = cursor?.['after'];
      const query = typeof after === 'string' ? { startingAfter: after } : {};
      const pageSize = String(MAX_RECORDS);
      const answer = await fetchJson('/links', { query: { ...query, showArchived, pageSize } });
      const records = pageOf('Dub', answer);
      const total =
        cursor === null ? await fetchJson('/links/count', { query: { showArchived } }) : undefined;
      const last = records.at(-1)?.['id'];
      return {
        records,
        next: records.length < MAX_RECORDS ? null : { after: last },
        total: numberOf(total),
      };
    },
  },
};

import { isTrue, numberOf, type ProviderWithApi, pageOf, text } from './provider.ts';

/** Number of links per page, the maximum of Kutt. */
const PAGE_SIZE = 50;

/** Links of Kutt, as listed by its API or stored in its table `links`. */
export const kutt: ProviderWithApi = {
  title: 'Kutt',
  marks: [['address', 'target']],
  fields: [
    'shortLink',
    'key',
    'url',
    'title',
    'createdAt',
    'expiresAt',
    'importedClicks',
    'externalId',
    'password',
    'hasPassword',
    'disabled',
  ],
  links(record) {
    const address = text(record, 'address');
    const domain = text(record, 'domain');
    const shortLink =
      text(record, 'link') ?? (domain === undefined ? undefined : `${domain}/${address ?? ''}`);
    return [
      {
        shortLink,
        key: shortLink === undefined ? address : undefined,
        url: text(record, 'target'),
        title: text(record, 'description'),
        createdAt: text(record, 'createdat'),
        expiresAt: text(record, 'expirein'),
        importedClicks: text(record, 'visitcount'),
        externalId: text(record, 'uuid', 'id'),
        // The API only tells whether there is a password; the table has its hash.
        hasPassword: isTrue(record, 'password') || text(record, 'password')?.startsWith('$2'),
        disabled: isTrue(record, 'banned'),
      },
    ];
  },
  api: {
    url: 'https://kutt.it',
    headers: (token) => ({ 'x-api-key': token }),
    async page(fetchJson, cursor) {
      const skip = Number(cursor?.['skip'] ?? 0);
      const answer = await fetchJson('/api/v2/links', {
        query: { limit: String(PAGE_SIZE), skip: String(skip) },
      });
      const records = pageOf('Kutt', answer, 'data');
      const total = numberOf(answer, 'total') ?? 0;
      const next = skip + records.length;
      return { records, next: records.length > 0 && next < total ? { skip: next } : null, total };
    },
  },
};

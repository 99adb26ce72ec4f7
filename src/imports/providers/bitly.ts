import {
  type FetchJson,
  isTrue,
  listOf,
  numberOf,
  type ProviderLink,
  type ProviderRecord,
  type ProviderWithApi,
  pageOf,
  tags,
  text,
} from './provider.ts';

/**
 * Number of links per page. Each needs a request for its clicks, of which Bitly answers five at
 * once and 100 a minute.
 */
const PAGE_SIZE = '25';

/** Links of Bitly. A Bitlink has its own address, and one more for each custom back-half. */
export const bitly: ProviderWithApi = {
  title: 'Bitly',
  marks: [
    ['longurl', 'custombitlinks'],
    ['bitlink', 'longurl'],
    ['link', 'customlink', 'destinationurl'],
  ],
  fields: [
    'shortLink',
    'url',
    'title',
    'tagNames',
    'createdAt',
    'archived',
    'importedClicks',
    'externalId',
  ],
  links(record) {
    const common = {
      url: text(record, 'longurl', 'destinationurl'),
      title: text(record, 'title'),
      tagNames: tags(record['tags']),
      createdAt: text(record, 'createdat', 'created', 'datecreated', 'creationdate'),
      archived: isTrue(record, 'archived'),
    };
    const clicks = text(record, 'clicks', 'totalclicks', 'engagements', 'totalengagements');
    return addressesOf(record).map(
      (shortLink, at): ProviderLink => ({
        ...common,
        shortLink,
        externalId: shortLink?.replace(/^https?:\/\//i, ''),
        // Bitly counts the clicks of all addresses together.
        importedClicks: at === 0 ? clicks : undefined,
      }),
    );
  },
  api: {
    url: 'https://api-ssl.bitly.com',
    headers: (token) => ({ authorization: `Bearer ${token}` }),
    async page(fetchJson, cursor) {
      const groups = (cursor?.['groups'] ??
        listOf(await fetchJson('/v4/groups'), 'groups').map(({ guid }) => guid)) as string[];
      const [group, ...laterGroups] = groups;
      if (group === undefined) return { records: [], next: null };
      const after = cursor?.['after'];
      const answer = await fetchJson(`/v4/groups/${group}/bitlinks`, {
        query: {
          size: PAGE_SIZE,
          archived: 'both',
          ...(typeof after === 'string' ? { search_after: after } : {}),
        },
      });
      const records = await Promise.all(
        pageOf('Bitly', answer, 'links').map(async (link) => ({
          ...link,
          clicks: await clicksOf(fetchJson, link),
        })),
      );
      const next = (answer as { pagination?: { search_after?: string } }).pagination?.search_after;
      if (records.length > 0 && next) return { records, next: { groups, after: next } };
      return { records, next: laterGroups.length === 0 ? null : { groups: laterGroups } };
    },
  },
};

async function clicksOf(fetchJson: FetchJson, { id }: ProviderRecord): Promise<number | undefined> {
  const path = String(id).split('/').map(encodeURIComponent).join('/');
  const answer = await fetchJson(`/v4/bitlinks/${path}/clicks/summary`, {
    query: { unit: 'month', units: '-1' },
    isOptional: true,
  });
  return numberOf(answer, 'total_clicks');
}

/** Returns the custom addresses of a record, then its own. */
function addressesOf(record: ProviderRecord): (string | undefined)[] {
  const list = record['custombitlinks'];
  const customs: unknown[] = Array.isArray(list)
    ? list
    : (text(record, 'custombitlinks', 'customlink', 'custombitlink') ?? '').split(/[\s,;|]+/);
  const addresses = [...customs, text(record, 'link', 'bitlink', 'shortlink', 'id')].filter(
    (address): address is string => typeof address === 'string' && address !== '',
  );
  return addresses.length === 0 ? [undefined] : [...new Set(addresses)];
}

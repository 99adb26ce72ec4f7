import {
  type Ask,
  isTrue,
  listOf,
  numberOf,
  type Peer,
  type PeerLink,
  type PeerRecord,
  pageOf,
  tags,
  text,
  time,
} from './peer.ts';

/** Links of a page. Each costs a request for its clicks, of which Bitly answers five at once and 100 a minute. */
const PAGE_SIZE = '25';

/** Links of Bitly: a Bitlink has an address of its own, and more where it has custom back-halves. */
export const bitly: Peer = {
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
      createdAt: time(record, 'createdat', 'created', 'datecreated', 'creationdate'),
      archived: isTrue(record, 'archived'),
    };
    const clicks = text(record, 'clicks', 'totalclicks', 'engagements', 'totalengagements');
    return addressesOf(record).map(
      (shortLink, at): PeerLink => ({
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
    async page(ask, cursor) {
      const groups = (cursor?.['groups'] ??
        listOf(await ask('/v4/groups'), 'groups').map(({ guid }) => guid)) as string[];
      const [group, ...others] = groups;
      if (group === undefined) return { records: [], next: null };
      const after = cursor?.['after'];
      const answer = await ask(`/v4/groups/${group}/bitlinks`, {
        query: {
          size: PAGE_SIZE,
          archived: 'both',
          ...(typeof after === 'string' ? { search_after: after } : {}),
        },
      });
      const records = await Promise.all(
        pageOf('Bitly', answer, 'links').map(async (link) => ({
          ...link,
          clicks: await clicksOf(ask, link),
        })),
      );
      const next = (answer as { pagination?: { search_after?: string } }).pagination?.search_after;
      if (records.length > 0 && next) return { records, next: { groups, after: next } };
      return { records, next: others.length === 0 ? null : { groups: others } };
    },
  },
};

async function clicksOf(ask: Ask, { id }: PeerRecord): Promise<number | undefined> {
  const path = String(id).split('/').map(encodeURIComponent).join('/');
  const answer = await ask(`/v4/bitlinks/${path}/clicks/summary`, {
    query: { unit: 'month', units: '-1' },
    isOptional: true,
  });
  return numberOf(answer, 'total_clicks');
}

/** The custom addresses of a record, then its own. */
function addressesOf(record: PeerRecord): (string | undefined)[] {
  const list = record['custombitlinks'];
  const customs: unknown[] = Array.isArray(list)
    ? list
    : (text(record, 'custombitlinks', 'customlink', 'custombitlink') ?? '').split(/[\s,;|]+/);
  const addresses = [...customs, text(record, 'link', 'bitlink', 'shortlink', 'id')].filter(
    (address): address is string => typeof address === 'string' && address !== '',
  );
  return addresses.length === 0 ? [undefined] : [...new Set(addresses)];
}

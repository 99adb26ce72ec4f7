import {
  isTrue,
  listOf,
  MAX_RECORDS,
  numberOf,
  type ProviderWithApi,
  pageOf,
  remainingVisits,
  tags,
  text,
} from './provider.ts';

/** Host of the API for click counts. */
const STATISTICS = 'https://api-v2.short.io';

/** Links of Short.io. */
export const shortio: ProviderWithApi = {
  title: 'Short.io',
  marks: [
    ['originalurl', 'shorturl'],
    ['originalurl', 'path', 'idstring'],
  ],
  fields: [
    'shortLink',
    'key',
    'url',
    'title',
    'tagNames',
    'createdAt',
    'expiresAt',
    'expiredUrl',
    'maxVisits',
    'archived',
    'password',
    'hasPassword',
    'ios',
    'android',
    'utm_source',
    'utm_medium',
    'utm_campaign',
    'utm_term',
    'utm_content',
    'redirectStatus',
    'forwardQuery',
    'importedClicks',
    'externalId',
  ],
  links(record) {
    const shortLink = text(record, 'secureshorturl', 'shorturl');
    const clicks = text(record, 'clicks', 'totalclicks', 'humanclicks');
    const createdAt = text(record, 'createdat');
    const status = text(record, 'redirecttype');
    return [
      {
        shortLink,
        key: shortLink === undefined ? text(record, 'path') : undefined,
        url: text(record, 'originalurl'),
        title: text(record, 'title'),
        tagNames: tags(record['tags']),
        createdAt,
        expiresAt: text(record, 'expiresat'),
        expiredUrl: text(record, 'expiredurl'),
        ...remainingVisits(text(record, 'clickslimit'), clicks, createdAt),
        archived: isTrue(record, 'archived'),
        password: text(record, 'password'),
        hasPassword: isTrue(record, 'haspassword'),
        ios: text(record, 'iphoneurl'),
        android: text(record, 'androidurl'),
        utm_source: text(record, 'utmsource'),
        utm_medium: text(record, 'utmmedium'),
        utm_campaign: text(record, 'utmcampaign'),
        utm_term: text(record, 'utmterm'),
        utm_content: text(record, 'utmcontent'),
        redirectStatus: status !== undefined && /^30[1278]$/.test(status) ? status : undefined,
        forwardQuery: 'skipqs' in record ? !isTrue(record, 'skipqs') : undefined,
        importedClicks: clicks,
        externalId: text(record, 'idstring'),
      },
    ];
  },
  api: {
    url: 'https://api.short.io',
    headers: (token) => ({ authorization: token }),
    async page(fetchJson, cursor) {
      const domains = (cursor?.['domains'] ??
        listOf(await fetchJson('/api/domains')).map(({ id }) => id)) as number[];
      const [domain, ...laterDomains] = domains;
      if (domain === undefined) return { records: [], next: null };
      const token = cursor?.['token'];
      const answer = await fetchJson('/api/links', {
        query: {
          domain_id: String(domain),
          limit: String(MAX_RECORDS),
          ...(typeof token === 'string' ? { pageToken: token } : {}),
        },
      });
      const links = pageOf('Short.io', answer, 'links');
      const ids = links.map(({ idString }) => String(idString)).join(',');
      const clicks =
        ids === ''
          ? undefined
          : await fetchJson(`${STATISTICS}/statistics/domain/${domain}/link_clicks`, {
              query: { ids },
              isOptional: true,
            });
      const records = links.map((link) => ({
        ...link,
        clicks: numberOf(clicks, String(link['idString'])),
      }));
      const { nextPageToken } = answer as { nextPageToken?: string | null };
      if (links.length > 0 && nextPageToken) {
        return { records, next: { domains, token: nextPageToken } };
      }
      return { records, next: laterDomains.length === 0 ? null : { domains: laterDomains } };
    },
  },
};

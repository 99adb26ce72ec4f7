import { MAX_RECORDS, numberOf, type ProviderWithApi, pageOf, text } from './provider.ts';

/** Links of YOURLS, as listed by its API or stored in its table `yourls_url`. */
export const yourls: ProviderWithApi = {
  title: 'YOURLS',
  marks: [
    ['keyword', 'url', 'timestamp', 'clicks'],
    ['shorturl', 'url', 'timestamp', 'clicks'],
  ],
  fields: ['shortLink', 'key', 'url', 'title', 'createdAt', 'importedClicks'],
  links(record) {
    const shortLink = text(record, 'shorturl');
    return [
      {
        shortLink,
        key: shortLink === undefined ? text(record, 'keyword') : undefined,
        url: text(record, 'url'),
        title: text(record, 'title'),
        createdAt: text(record, 'timestamp'),
        importedClicks: text(record, 'clicks'),
      },
    ];
  },
  api: {
    async page(fetchJson, cursor, signature) {
      const start = Number(cursor?.['start'] ?? 0);
      const answer = await fetchJson('/yourls-api.php', {
        form: {
          signature,
          action: 'stats',
          filter: 'last',
          format: 'json',
          limit: String(MAX_RECORDS),
          start: String(start),
        },
      });
      const { links } = answer as { links?: Record<string, object> };
      const records = pageOf('YOURLS', Object.values(links ?? {}));
      const next = records.length < MAX_RECORDS ? null : { start: start + records.length };
      return { records, next, total: numberOf(answer, 'stats', 'total_links') };
    },
  },
};

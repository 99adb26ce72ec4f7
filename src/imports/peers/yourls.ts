import { MOST_RECORDS, numberOf, type Peer, pageOf, text, time } from './peer.ts';

/** Links of YOURLS: as its API lists them, or the rows of its table `yourls_url`. */
export const yourls: Peer = {
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
        createdAt: time(record, 'timestamp'),
        importedClicks: text(record, 'clicks'),
      },
    ];
  },
  api: {
    async page(ask, cursor, signature) {
      const start = Number(cursor?.['start'] ?? 0);
      const answer = await ask('/yourls-api.php', {
        form: {
          signature,
          action: 'stats',
          filter: 'last',
          format: 'json',
          limit: String(MOST_RECORDS),
          start: String(start),
        },
      });
      const { links } = answer as { links?: Record<string, object> };
      const records = pageOf('YOURLS', Object.values(links ?? {}));
      const next = records.length < MOST_RECORDS ? null : { start: start + records.length };
      return { records, next, total: numberOf(answer, 'stats', 'total_links') };
    },
  },
};

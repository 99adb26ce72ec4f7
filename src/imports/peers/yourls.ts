import { numberOf, type Peer, text, time } from './peer.ts';

/** Links of a page. Their order leaves those of one second open: on large pages hardly any is missed. */
const PAGE_SIZE = 2_000;

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
          limit: String(PAGE_SIZE),
          start: String(start),
        },
      });
      const { links } = answer as { links?: Record<string, object> };
      const records = Object.values(links ?? {});
      const next = records.length < PAGE_SIZE ? null : { start: start + records.length };
      return { records, next, total: numberOf(answer, 'stats', 'total_links') };
    },
  },
};

import { isTrue, type Provider, text } from './provider.ts';

/** Links of Polr, as stored in its table `links`. Its API lists none. */
export const polr: Provider = {
  title: 'Polr',
  marks: [
    ['shorturl', 'longurl', 'isdisabled'],
    ['shorturl', 'longurl', 'iscustom'],
    ['shorturl', 'longurl', 'secretkey'],
  ],
  fields: ['key', 'url', 'createdAt', 'importedClicks', 'disabled'],
  links(record) {
    const ending = text(record, 'shorturl');
    // Polr answers a secret link only where the secret follows its ending.
    const secret = text(record, 'secretkey');
    return [
      {
        key: secret === undefined ? ending : `${ending ?? ''}/${secret}`,
        url: text(record, 'longurl'),
        createdAt: text(record, 'createdat'),
        importedClicks: text(record, 'clicks'),
        disabled: isTrue(record, 'isdisabled'),
      },
    ];
  },
};

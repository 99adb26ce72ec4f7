import { A, link, NOT_FOUND, NOTHING, qrCode, type Topic, to } from './row.ts';

export const statistics: Topic[] = [
  {
    topic: 'statistics',
    rows: [
      [
        'that are public redirect to the API',
        link({ publicStats: true }),
        { path: '/_/stats/{key}' },
        to('http*/stats/{host}/{key}'),
      ],
      [
        'that are public redirect to the API for QR codes too',
        qrCode({ publicStats: true }),
        { path: '/_/stats/{key}' },
        to('http*/stats/{host}/{key}'),
      ],
      [
        'that are public redirect to the API, whatever the status',
        link({ publicStats: true, redirectStatus: 301 }),
        { path: '/_/stats/{key}' },
        to('http*/stats/{host}/{key}'),
      ],
      [
        'that are public redirect to the API, after the end',
        link({ publicStats: true, expiresAt: '{soon}' }),
        { path: '/_/stats/{key}' },
        to('http*/stats/{host}/{key}'),
      ],
      ['that are public do not change the destination', link({ publicStats: true }), {}, to(A)],
      ['that are not public return 404', link(), { path: '/_/stats/{key}' }, NOT_FOUND],
      [
        'that are switched off return 404',
        link({ publicStats: false }),
        { path: '/_/stats/{key}' },
        NOT_FOUND,
      ],
      ['of an unknown key return 404', NOTHING, { path: '/_/stats/{key}' }, NOT_FOUND],
      ['without a key return 404', NOTHING, { path: '/_/stats/' }, NOT_FOUND],
    ],
  },
];

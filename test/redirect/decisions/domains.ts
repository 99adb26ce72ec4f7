import {
  A,
  AGENTS,
  B,
  by,
  EXPIRED,
  FACEBOOK,
  FUTURE,
  frame,
  HEAD,
  HTTPS,
  link,
  NOT_FOUND,
  NOT_STARTED,
  NOTHING,
  PASSWORD,
  PREVIEW,
  qrCode,
  type Setup,
  type Topic,
  to,
} from './row.ts';

const domain = (fields: Setup['fields'] = {}): Setup => ({ kind: 'domains', fields });

const unverified = (fields: Setup['fields'] = {}): Setup => ({
  ...domain(fields),
  isUnverified: true,
});

export const domains: Topic[] = [
  {
    topic: 'an archived record',
    rows: [
      ['redirects', link({ archived: true }), {}, to(A)],
      [
        'redirects devices to their targets',
        link({ archived: true, ios: B }),
        by(AGENTS.iPhone),
        to(B),
      ],
      ['asks for its password', link({ archived: true, password: 'x' }), {}, PASSWORD],
      ['shows its preview', link({ archived: true }), { path: '/{key}+' }, PREVIEW],
      ['expires', link({ archived: true, expiresAt: '{soon}' }), {}, EXPIRED],
      ['redirects if it is a QR code', qrCode({ archived: true }), {}, to(A)],
    ],
  },
  {
    topic: 'a domain',
    rows: [
      ['redirects from its root to its target', domain({ target: B }), {}, to(B)],
      [
        'passes on the query of its root',
        domain({ target: `${B}?a=1#part` }),
        { path: '/?x=1' },
        to(`${B}?a=1&x=1#part`),
      ],
      ['redirects from its root with 302 for HEAD', domain({ target: B }), HEAD, to(B)],
      [
        'shows its target in a frame',
        domain({ target: '{site}/free', type: 'rewrite' }),
        {},
        frame('{site}/free'),
      ],
      [
        'shows its target in a frame with the query',
        domain({ target: '{site}/free', type: 'rewrite' }),
        { path: '/?x=1' },
        frame('{site}/free?x=1'),
      ],
      [
        'redirects to a target that forbids frames',
        domain({ target: '{site}/deny', type: 'rewrite' }),
        {},
        to('{site}/deny'),
      ],
      [
        'redirects to a target whose policy forbids frames',
        domain({ target: '{site}/none', type: 'rewrite' }),
        {},
        to('{site}/none'),
      ],
      [
        'redirects over https to a target over http',
        domain({ target: '{site}/free', type: 'rewrite' }),
        HTTPS,
        to('{site}/free'),
      ],
      [
        'redirects to an app',
        domain({ target: 'myapp://home', type: 'rewrite' }),
        {},
        to('myapp://home'),
      ],
      [
        'does not frame its target without rewrite',
        domain({ target: '{site}/free', type: 'redirect' }),
        {},
        to('{site}/free'),
      ],
      ['without a target returns 404 at its root', domain(), {}, NOT_FOUND],
      [
        'without a target returns 404 at its root, even with notFoundUrl',
        domain({ notFoundUrl: B }),
        {},
        NOT_FOUND,
      ],
      [
        'redirects unknown keys to notFoundUrl',
        domain({ notFoundUrl: B }),
        { path: '/nothing' },
        to(B),
      ],
      [
        'returns 404 for unknown keys, even with a target',
        domain({ target: B }),
        { path: '/nothing' },
        NOT_FOUND,
      ],
      ['returns 404 at its root until it is verified', unverified({ target: B }), {}, NOT_FOUND],
      [
        'returns 404 for keys until it is verified',
        unverified({ notFoundUrl: B }),
        { path: '/nothing' },
        NOT_FOUND,
      ],
      ['that is archived redirects', domain({ target: B, archived: true }), {}, to(B)],
      [
        'that is unknown returns 404 at its root',
        NOTHING,
        { host: 'nobody.example', path: '/' },
        NOT_FOUND,
      ],
      ['that is unknown returns 404 for keys', NOTHING, { host: 'nobody.example' }, NOT_FOUND],
    ],
  },
  {
    topic: 'a domain with notFoundUrl',
    domain: { notFoundUrl: 'https://example.com/lost?from=short' },
    rows: [
      ['leads there', NOTHING, {}, to('https://example.com/lost?from=short')],
      [
        'passes no query on',
        NOTHING,
        { path: '/{key}?x=1' },
        to('https://example.com/lost?from=short'),
      ],
      [
        'redirects there from previews',
        NOTHING,
        { path: '/{key}+' },
        to('https://example.com/lost?from=short'),
      ],
      ['leads there for HEAD', NOTHING, HEAD, to('https://example.com/lost?from=short')],
      ['leads crawlers there', NOTHING, by(FACEBOOK), to('https://example.com/lost?from=short')],
      ['does not redirect there from files', NOTHING, { path: '/_/file/{key}' }, NOT_FOUND],
      ['does not redirect there from statistics', NOTHING, { path: '/_/stats/{key}' }, NOT_FOUND],
      ['does not redirect there from its links', link(), {}, to(A)],
      ['does not redirect there from expired links', link({ expiresAt: '{soon}' }), {}, EXPIRED],
      ['does not redirect there before links start', link({ startsAt: FUTURE }), {}, NOT_STARTED],
    ],
  },
];

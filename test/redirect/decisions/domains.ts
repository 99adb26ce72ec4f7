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
  type Row,
  type Setup,
  type Topic,
  to,
} from './row.ts';

const domain = (fields: Setup['fields'] = {}): Setup => ({ kind: 'domains', fields });

const unverified = (fields: Setup['fields'] = {}): Setup => ({
  ...domain(fields),
  isUnverified: true,
});

const PLACEHOLDERS: [title: string, notFoundUrl: string, path: string, location: string][] = [
  ['the path', 'https://e.com/{path}', '/old/page', 'https://e.com/old/page'],
  ['the path with its slash', 'https://e.com/x/{path}', '/old/', 'https://e.com/x/old/'],
  ['no path at the root', 'https://e.com/{path}?a=1', '/', 'https://e.com/?a=1'],
  [
    'the bytes of the path',
    'https://e.com/{path}',
    '/gr%c3%b6%2fx;v=1',
    'https://e.com/gr%c3%b6%2fx;v=1',
  ],
  ['what a path cannot hold', 'https://e.com/{path}', '/a|b"c\\d', 'https://e.com/a%7Cb%22c%5Cd'],
  ['the path twice', 'https://e.com/{path}?p={path}', '/a/b', 'https://e.com/a/b?p=a%2Fb'],
  [
    'the path as a value',
    'https://e.com/?q={path}&b',
    '/%C3%B6%26x',
    'https://e.com/?q=%C3%B6%26x&b',
  ],
  ['the path as a fragment', 'https://e.com/#{path}', '/a/b', 'https://e.com/#a%2Fb'],
  ['the path of a preview', 'https://e.com/{path}', '/nothing+', 'https://e.com/nothing+'],
  [
    'a path that looks like a host',
    'https://e.com/{path}',
    '//evil.example/x',
    'https://e.com//evil.example/x',
  ],
  [
    'a path with an at sign',
    'https://e.com/{path}',
    '/@evil.example',
    'https://e.com/@evil.example',
  ],
  [
    'the parameters',
    'https://e.com/?{query}',
    '/x?a=1&b=%20+&a=2',
    'https://e.com/?a=1&b=%20+&a=2',
  ],
  [
    'the parameters after others',
    'https://e.com/?z=0&{query}#f',
    '/x?a=1',
    'https://e.com/?z=0&a=1#f',
  ],
  [
    'the parameters before others',
    'https://e.com/?{query}&z=0',
    '/x?a=1',
    'https://e.com/?a=1&z=0',
  ],
  ['no parameters', 'https://e.com/{path}?{query}', '/x', 'https://e.com/x'],
  ['no further parameters', 'https://e.com/?z=0&{query}#f', '/x?', 'https://e.com/?z=0#f'],
  [
    'the query as a value',
    'https://e.com/?q={query}',
    '/x?a=1&b=%20',
    'https://e.com/?q=a%3D1%26b%3D%2520',
  ],
  ['the query in the path', 'https://e.com/{query}/x', '/x?a=/b', 'https://e.com/a%3D%2Fb/x'],
  ['the query as a fragment', 'https://e.com/#q={query}', '/x?a=1', 'https://e.com/#q=a%3D1'],
  ['encoded placeholders', 'https://e.com/%7Bpath%7d', '/old', 'https://e.com/old'],
  ['nothing else', 'https://e.com/%7Bkey%7D', '/old', 'https://e.com/%7Bkey%7D'],
];

const LEAVING_PATHS = ['/../x', '/a/../../x', '/a/%2e%2e/x', '/..%2fx', '/a\\..\\x', '/.'];

export const domains: Topic[] = [
  {
    topic: 'notFoundUrl with placeholders',
    rows: [
      ...PLACEHOLDERS.map(
        ([title, notFoundUrl, path, location]): Row => [
          `is filled in with ${title}`,
          domain({ notFoundUrl }),
          { path },
          to(location),
        ],
      ),
      ...LEAVING_PATHS.map(
        (path): Row => [
          `is not used for ${path}`,
          domain({ notFoundUrl: 'https://e.com/below/{path}' }),
          { path },
          NOT_FOUND,
        ],
      ),
    ],
  },
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
        'without a target redirects from its root to notFoundUrl',
        domain({ notFoundUrl: B }),
        {},
        to(B),
      ],
      [
        'redirects from its root to its target, even with notFoundUrl',
        domain({ target: A, notFoundUrl: B }),
        {},
        to(A),
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

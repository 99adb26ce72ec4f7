import {
  A,
  AGENTS,
  B,
  BRAZIL,
  by,
  frame,
  GERMANY,
  HEAD,
  JAPAN,
  link,
  OVER,
  PAGE,
  page,
  qrCode,
  type Row,
  rule,
  type Setup,
  type Topic,
  to,
} from './row.ts';

const STORE = 'https://apps.example.com/id1';

const OWNED = { queryConflict: 'owner' };
const OWN = `${A}?own=1&x=0#part`;

/** Parameters with the same name in the query and in the destination. */
const CONFLICTS: [title: string, setup: Setup, path: string, location: string][] = [
  [
    'takes precedence with queryConflict visitor',
    link({ url: OWN, queryConflict: 'visitor' }),
    '/{key}?x=1&y=2',
    `${A}?own=1&x=1&y=2#part`,
  ],
  [
    'does not with queryConflict owner',
    link({ url: OWN, ...OWNED }),
    '/{key}?x=1&y=2',
    `${A}?own=1&x=0&y=2#part`,
  ],
  ['is left out if the owner has it all', link({ url: OWN, ...OWNED }), '/{key}?x=1&x=2&qr=1', OWN],
  [
    'is compared by decoded names',
    link({ url: `${A}?utm_x=0`, ...OWNED }),
    '/{key}?utm%5Fx=1&UTM_X=2',
    `${A}?utm_x=0&UTM_X=2`,
  ],
  ['is passed on to a destination without one', link({ ...OWNED }), '/{key}?x=1', `${A}?x=1`],
  [
    'keeps what the owner has twice',
    link({ url: `${A}?x=1&x=2`, ...OWNED }),
    '/{key}?x=3',
    `${A}?x=1&x=2`,
  ],
  [
    'does not take precedence for a QR code',
    qrCode({ url: OWN, ...OWNED }),
    '/{key}?qr=1&x=1',
    OWN,
  ],
  [
    'does not take precedence over UTM fields',
    link({ utm_source: 'mail', ...OWNED }),
    '/{key}?utm_source=x&a=1',
    `${A}?utm_source=mail&a=1`,
  ],
];

export const destination: Topic[] = [
  {
    topic: 'a status',
    rows: [
      ['is 302 by default', link(), {}, to(A, 302)],
      [
        'is 301 on request',
        link({ redirectStatus: 301 }),
        {},
        to(A, 301, { 'cache-control': 'private, no-store' }),
      ],
      ['is 302 on request', link({ redirectStatus: 302 }), {}, to(A, 302)],
      ['is 307 on request', link({ redirectStatus: 307 }), {}, to(A, 307)],
      ['is 308 on request', link({ redirectStatus: 308 }), {}, to(A, 308)],
      [
        'applies to targets too',
        link({ redirectStatus: 308, geo: { DE: B } }),
        GERMANY,
        to(B, 308),
      ],
      ['applies to QR codes too', qrCode({ redirectStatus: 307 }), {}, to(A, 307)],
      ['is the same for HEAD', link({ redirectStatus: 301 }), HEAD, to(A, 301)],
    ],
  },
  {
    topic: 'a query',
    rows: [
      ['is passed on', link(), { path: '/{key}?x=1&y=2' }, to(`${A}?x=1&y=2`)],
      [
        'is passed on with the setting of the link',
        link({ forwardQuery: true }),
        { path: '/{key}?x=1' },
        to(`${A}?x=1`),
      ],
      ['is not passed on without it', link({ forwardQuery: false }), { path: '/{key}?x=1' }, to(A)],
      [
        'keeps that of the destination when it is not passed on',
        link({ url: `${A}?own=1#part`, forwardQuery: false }),
        { path: '/{key}?own=2' },
        to(`${A}?own=1#part`),
      ],
      [
        'takes precedence over that of the destination',
        link({ url: `${A}?own=1&x=0` }),
        { path: '/{key}?x=1' },
        to(`${A}?own=1&x=1`),
      ],
      ...CONFLICTS.map(
        ([title, setup, path, location]): Row => [title, setup, { path }, to(location)],
      ),
      [
        'is put before the fragment',
        link({ url: `${A}#part` }),
        { path: '/{key}?x=1' },
        to(`${A}?x=1#part`),
      ],
      [
        'is passed on to targets',
        link({ geo: { DE: `${B}#part` } }),
        { path: '/{key}?x=1', ...GERMANY },
        to(`${B}?x=1#part`),
      ],
      [
        'is not passed on to targets without the setting of the link',
        link({ ios: B, forwardQuery: false }),
        { path: '/{key}?x=1', ...by(AGENTS.iPhone) },
        to(B),
      ],
      [
        'is passed on to stores',
        link({ ios: STORE }),
        { path: '/{key}?ct=mail', ...by(AGENTS.iPhone) },
        to(`${STORE}?ct=mail`),
      ],
      [
        'is not passed on to apps',
        link({ ios: 'myapp://open?x=0' }),
        { path: '/{key}?x=1', ...by(AGENTS.iPhone) },
        to('myapp://open?x=0'),
      ],
      [
        'is passed on to the framed page',
        link({ url: '{site}/free', rewrite: true }),
        { path: '/{key}?x=1' },
        frame('{site}/free?x=1'),
      ],
      [
        'is kept in the link of the preview',
        link(),
        { path: '/{key}+?x=1' },
        page(200, 'Where this link leads', 'href="/{key}?x=1"'),
      ],
      [
        'is kept in the link of the page before the destination',
        link(PAGE),
        { path: '/{key}?x=1' },
        page(200, 'Please read this', '/{key}?x=1"'),
      ],
      [
        'is kept in the form of the password page',
        link({ password: 'x' }),
        { path: '/{key}?x=1' },
        page(403, 'Protected link', 'action="/{key}?x=1"'),
      ],
      ['of a scan is not passed on', link(), { path: '/{key}?qr=1' }, to(A)],
      [
        'loses only the parameter qr of a scan',
        link(),
        { path: '/{key}?a=1&qr=1&b=2' },
        to(`${A}?a=1&b=2`),
      ],
      ['keeps another value of qr', link(), { path: '/{key}?qr=2' }, to(`${A}?qr=2`)],
      ['of a scan is not passed on from a QR code', qrCode(), { path: '/{key}?qr=1' }, to(A)],
    ],
  },
  {
    topic: 'a UTM parameter of a link',
    rows: [
      ['is in its destination', link({ utm_source: 'mail' }), {}, to(`${A}?utm_source=mail`)],
      [
        'replaces that of the destination',
        link({ url: `${A}?utm_source=old&x=1`, utm_source: 'mail' }),
        {},
        to(`${A}?x=1&utm_source=mail`),
      ],
      [
        'is put before the fragment',
        link({ url: `${A}#part`, utm_source: 'mail' }),
        {},
        to(`${A}?utm_source=mail#part`),
      ],
      [
        'is added to the target of iOS',
        link({ ios: STORE, utm_source: 'mail', utm_medium: 'news' }),
        by(AGENTS.iPhone),
        to(`${STORE}?utm_source=mail&utm_medium=news`),
      ],
      [
        'is added to the target of Android',
        link({ android: STORE, utm_campaign: 'summer sale' }),
        by(AGENTS.androidPhone),
        to(`${STORE}?utm_campaign=summer%20sale`),
      ],
      [
        'is added to targets of countries',
        link({ geo: { JP: B }, utm_term: 'sushi' }),
        JAPAN,
        to(`${B}?utm_term=sushi`),
      ],
      [
        'is added to targets of rules',
        link({ rules: [rule({ country: ['BR'] })], utm_content: 'top' }),
        BRAZIL,
        to(`${B}?utm_content=top`),
      ],
      [
        'is put before the fragment of a target',
        link({ ios: `${B}#part`, utm_source: 'mail' }),
        by(AGENTS.iPhone),
        to(`${B}?utm_source=mail#part`),
      ],
      [
        'does not replace that of a target',
        link({ ios: `${B}?utm_source=store`, utm_source: 'mail', utm_medium: 'news' }),
        by(AGENTS.iPhone),
        to(`${B}?utm_source=store&utm_medium=news`),
      ],
      [
        'does not replace that of a rule',
        link({ rules: [rule('DE', `${B}?utm_source=de`)], utm_source: 'mail' }),
        GERMANY,
        to(`${B}?utm_source=de`),
      ],
      [
        'is not added to the URL of an app',
        link({ ios: 'myapp://open', utm_source: 'mail' }),
        by(AGENTS.iPhone),
        to('myapp://open'),
      ],
      [
        'of its destination is added to targets too',
        link({ url: `${A}?utm_source=own`, geo: { DE: B } }),
        GERMANY,
        to(`${B}?utm_source=own`),
      ],
      [
        'of a QR code’s URL is added to targets too',
        qrCode({ url: `${A}?utm_source=print`, ios: B }),
        by(AGENTS.iPhone),
        to(`${B}?utm_source=print`),
      ],
      [
        'is replaced by that of the visitor',
        link({ ios: B, utm_source: 'mail' }),
        { path: '/{key}?utm_source=me', ...by(AGENTS.iPhone) },
        to(`${B}?utm_source=me`),
      ],
      [
        'is kept when the visitor’s query is dropped',
        link({ ios: B, utm_source: 'mail', forwardQuery: false }),
        { path: '/{key}?utm_source=me', ...by(AGENTS.iPhone) },
        to(`${B}?utm_source=mail`),
      ],
      [
        'is not added to expired URLs',
        link({ expiresAt: '{soon}', expiredUrl: OVER, utm_source: 'mail' }),
        {},
        to(OVER),
      ],
    ],
  },
];

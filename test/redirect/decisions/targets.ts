import {
  A,
  AGENTS,
  B,
  BRAZIL,
  by,
  C,
  FRANCE,
  from,
  GERMANY,
  JAPAN,
  link,
  NO_CRAWLERS,
  type Row,
  type Topic,
  to,
} from './row.ts';

const DEVICES: [name: string, location: string, agents: Record<string, string>][] = [
  [
    'the App Store',
    B,
    {
      'an iPhone': AGENTS.iPhone,
      'an iPad': AGENTS.iPad,
      'an iPod': AGENTS.iPod,
      'Chrome on iPadOS': AGENTS.iPadChrome,
      'Firefox on iPadOS': AGENTS.iPadFirefox,
      'Edge on iPadOS': AGENTS.iPadEdge,
      'an app on iPadOS': AGENTS.iPadApp,
      'the Facebook app on an iPhone': NO_CRAWLERS['the Facebook app']!,
    },
  ],
  [
    'Google Play',
    C,
    {
      'an Android phone': AGENTS.androidPhone,
      'an Android tablet': AGENTS.androidTablet,
      'the Instagram app on Android': NO_CRAWLERS['the Instagram app']!,
    },
  ],
  [
    'the destination',
    A,
    {
      'Safari on a Mac, which may be an iPad': AGENTS.macSafari,
      'Chrome on a Mac': AGENTS.macChrome,
      'Edge on Windows': AGENTS.windowsEdge,
      'Firefox on Windows': AGENTS.windowsFirefox,
      'Firefox on Linux': AGENTS.linuxFirefox,
      'a television': AGENTS.television,
      'who names no user agent': '',
    },
  ],
];

export const targets: Topic[] = [
  {
    topic: 'a link with targets for devices',
    rows: [
      ...DEVICES.flatMap(([name, location, agents]) =>
        Object.entries(agents).map(
          ([device, userAgent]): Row => [
            `leads ${device} to ${name}`,
            link({ ios: B, android: C }),
            by(userAgent),
            to(location),
          ],
        ),
      ),
      [
        'leads Android to the destination where only iOS has a target',
        link({ ios: B }),
        by(AGENTS.androidPhone),
        to(A),
      ],
      [
        'leads iOS to the destination where only Android has a target',
        link({ android: B }),
        by(AGENTS.iPhone),
        to(A),
      ],
      [
        'leads into an app',
        link({ ios: 'myapp://item/7' }),
        by(AGENTS.iPhone),
        to('myapp://item/7'),
      ],
      [
        'leads into the store app',
        link({ ios: 'itms-apps://apps.apple.com/app/id1' }),
        by(AGENTS.iPhone),
        to('itms-apps://apps.apple.com/app/id1'),
      ],
      [
        'leads to Google Play',
        link({ android: 'market://details?id=com.example' }),
        by(AGENTS.androidPhone),
        to('market://details?id=com.example'),
      ],
      [
        'leads to an intent of Android',
        link({ android: 'intent://scan/#Intent;scheme=zxing;end' }),
        by(AGENTS.androidPhone),
        to('intent://scan/#Intent;scheme=zxing;end'),
      ],
      [
        'leads everybody into an app if that is the destination',
        link({ url: 'myapp://open' }),
        {},
        to('myapp://open'),
      ],
    ],
  },
  {
    topic: 'a link with targets for countries',
    rows: [
      ['leads Germany to its own', link({ geo: { DE: B, JP: C } }), GERMANY, to(B)],
      ['leads Japan to its own', link({ geo: { DE: B, JP: C } }), JAPAN, to(C)],
      ['leads Brazil to the destination', link({ geo: { DE: B, JP: C } }), BRAZIL, to(A)],
      ['finds countries of IPv6 addresses', link({ geo: { FR: B } }), FRANCE, to(B)],
      [
        'finds countries of IPv4 addresses written as IPv6',
        link({ geo: { DE: B } }),
        from('::ffff:192.0.2.1'),
        to(B),
      ],
      [
        'leads to the destination from places unknown',
        link({ geo: { DE: B } }),
        from('100.64.0.1'),
        to(A),
      ],
      [
        'leads to the destination from IPv6 places unknown',
        link({ geo: { FR: B } }),
        from('2001:dead::1'),
        to(A),
      ],
      ['leads to the destination where nothing says who asks', link({ geo: { DE: B } }), {}, to(A)],
      [
        'leads to the destination where the address is none',
        link({ geo: { DE: B } }),
        from('nonsense'),
        to(A),
      ],
      [
        'believes only the last hop',
        link({ geo: { DE: B, JP: C } }),
        from('192.0.2.1, 198.51.100.1'),
        to(C),
      ],
      [
        'skips hops that are proxies of ours',
        link({ geo: { DE: B, JP: C } }),
        from('192.0.2.1, 127.0.0.1'),
        to(B),
      ],
      ['reads addresses with ports', link({ geo: { DE: B } }), from('192.0.2.1:4711'), to(B)],
      [
        'reads IPv6 addresses with ports',
        link({ geo: { FR: B } }),
        from('[2001:db8::1]:4711'),
        to(B),
      ],
      ['leads into an app', link({ geo: { DE: 'myapp://de' } }), GERMANY, to('myapp://de')],
    ],
  },
];

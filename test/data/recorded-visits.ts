/*
 * Visits with headers, addresses and times as people's browsers and mail scanners send them, with a
 * label each: 400 of people, 250 of scanners. They are built from the behavior that public sources
 * describe, so shares among them say how the rules work, not how many of all visits are marked.
 */

/** A visit with its label. */
export interface RecordedVisit {
  label: 'person' | 'scanner';
  /** Kind of the visitors, and the public source of their behavior. */
  kind: string;
  source: string;
  headers: Record<string, string>;
  ip: string;
  isSecure: boolean;
  linkId: string;
  /** Time in ms. */
  at: number;
}

type Headers = Record<string, string>;

const GECKO = '(KHTML, like Gecko)';
const NAVIGATION: Headers = {
  'sec-fetch-site': 'none',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-user': '?1',
  'sec-fetch-dest': 'document',
  'upgrade-insecure-requests': '1',
};
const LANGUAGES = ['en-US,en;q=0.9', 'de-DE,de;q=0.9,en;q=0.8', 'fr', 'pt-BR,pt;q=0.9', 'ja'];

const chrome = (system: string, version: number, mobile = ''): string =>
  `Mozilla/5.0 (${system}) AppleWebKit/537.36 ${GECKO} Chrome/${version}.0.0.0 ${mobile}Safari/537.36`;
const hints = (version: number, platform: string): Headers => ({
  'sec-ch-ua': `"Chromium";v="${version}", "Google Chrome";v="${version}", "Not_A Brand";v="24"`,
  'sec-ch-ua-mobile': '?0',
  'sec-ch-ua-platform': `"${platform}"`,
});
const WINDOWS = 'Windows NT 10.0; Win64; x64';
const IPHONE = 'iPhone; CPU iPhone OS 18_5 like Mac OS X';
const SAFARI_PHONE = `Mozilla/5.0 (${IPHONE}) AppleWebKit/605.1.15 ${GECKO}`;

interface Kind {
  kind: string;
  source: string;
  count: number;
  /** @param n number of the visit within its kind */
  headers(n: number): Headers;
  ip(n: number): string;
  isSecure?: boolean;
  /** Links of a message that one visitor opens one after the other. */
  links?: number;
  /** Time between those links, in ms. */
  apartMs?: number;
}

const v4 = (network: string, n: number): string => `${network}.${(n * 7) % 250}.${(n * 13) % 250}`;
const language = (n: number): Headers => ({ 'accept-language': LANGUAGES[n % LANGUAGES.length]! });

const desktopChrome = (n: number): Headers => ({
  'user-agent': chrome(WINDOWS, 130 + (n % 12)),
  ...hints(130 + (n % 12), 'Windows'),
  ...NAVIGATION,
  ...language(n),
});
const phoneSafari = (n: number): Headers => ({
  'user-agent': `${SAFARI_PHONE} Version/18.5 Mobile/15E148 Safari/604.1`,
  ...NAVIGATION,
  ...language(n),
});
const firefox = (n: number): Headers => ({
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0',
  ...NAVIGATION,
  ...language(n),
});

const BROWSERS = 'caniuse.com: Sec-Fetch headers; apify/fingerprint-suite: issue 152';

const PEOPLE: readonly Kind[] = [
  {
    kind: 'Chrome and Edge on a desktop',
    source: BROWSERS,
    count: 80,
    headers: (n) =>
      n % 4 === 0
        ? { ...desktopChrome(n), 'user-agent': `${chrome(WINDOWS, 139)} Edg/139.0.0.0` }
        : desktopChrome(n),
    ip: (n) => v4('84.160', n),
  },
  {
    kind: 'Chrome on a phone',
    source: BROWSERS,
    count: 60,
    headers: (n) => ({
      'user-agent': chrome('Linux; Android 10; K', 139, 'Mobile '),
      ...hints(139, 'Android'),
      ...NAVIGATION,
      ...language(n),
    }),
    ip: (n) => v4('73.40', n),
  },
  {
    kind: 'Safari on a phone',
    source: BROWSERS,
    count: 50,
    headers: phoneSafari,
    ip: (n) => `2a02:908:1a2:${n.toString(16)}::7`,
  },
  {
    kind: 'Safari before 16.4, without fetch metadata',
    source: 'caniuse.com: Sec-Fetch headers',
    count: 10,
    headers: (n) => ({
      'user-agent': `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 ${GECKO} Version/15.6 Safari/605.1.15`,
      ...language(n),
    }),
    ip: (n) => v4('92.72', n),
  },
  { kind: 'Firefox', source: BROWSERS, count: 30, headers: firefox, ip: (n) => v4('88.130', n) },
  {
    kind: 'Chrome over http',
    source: 'W3C Fetch Metadata Request Headers, 2: only for trustworthy URLs',
    count: 15,
    headers: (n) => ({ 'user-agent': chrome(WINDOWS, 139), ...language(n) }),
    ip: (n) => v4('91.12', n),
    isSecure: false,
  },
  {
    kind: 'Chrome before version 76',
    source: 'caniuse.com: Sec-Fetch headers',
    count: 4,
    headers: (n) => ({ 'user-agent': chrome('Windows NT 6.1', 70), ...language(n) }),
    ip: (n) => v4('178.10', n),
  },
  {
    kind: 'apps: Facebook, Instagram, LINE, LinkedIn',
    source: 'omrilotan/isbot: issue 314; matomo-org/device-detector: in-app browsers',
    count: 40,
    headers: (n) => ({
      'user-agent': [
        `${SAFARI_PHONE} Mobile/15E148 [FBAN/FBIOS;FBAV/567.1.0.52.74;FBDV/iPhone15,2]`,
        `${SAFARI_PHONE} Mobile/15E148 Instagram 350.0.0.20.87 (iPhone15,2; iOS 18_5; de_DE)`,
        `Mozilla/5.0 (Linux; Android 14; SM-S918B; wv) AppleWebKit/537.36 ${GECKO} Version/4.0 Chrome/139.0.0.0 Mobile Safari/537.36 Line/14.9.0`,
        `${SAFARI_PHONE} Mobile/15E148 [LinkedInApp]/9.30.1`,
      ][n % 4]!,
      ...language(n),
    }),
    ip: (n) => v4('109.40', n),
  },
  {
    kind: 'WebView of an app that sends no Accept-Language',
    source: 'assumed: apps can set all headers of WebView.loadUrl',
    count: 6,
    headers: () => ({
      'user-agent': `Mozilla/5.0 (Linux; Android 13; Pixel 7; wv) AppleWebKit/537.36 ${GECKO} Version/4.0 Chrome/128.0.0.0 Mobile Safari/537.36`,
      'x-requested-with': 'com.example.app',
    }),
    ip: (n) => v4('80.187', n),
  },
  {
    kind: 'Brave, Tor Browser and LibreWolf',
    source: 'brave/brave-browser: wiki on deviations; support.torproject.org',
    count: 15,
    headers: (n) => ({
      ...(n % 2 === 0 ? desktopChrome(n) : firefox(n)),
      'accept-language': 'en-US,en;q=0.5',
      'sec-gpc': '1',
      dnt: '1',
    }),
    ip: (n) => v4('185.220', n),
  },
  {
    kind: 'iCloud Private Relay',
    source: 'mask-api.icloud.com/egress-ip-ranges.csv',
    count: 15,
    headers: phoneSafari,
    ip: (n) => `172.224.226.${n}`,
  },
  {
    kind: 'Cloudflare WARP',
    source: 'api.cloudflare.com/local-ip-ranges.csv',
    count: 8,
    headers: desktopChrome,
    ip: (n) => `104.28.30.${n}`,
  },
  {
    kind: 'VPN of a company (Zscaler)',
    source: 'config.zscaler.com: cloud enforcement node ranges',
    count: 15,
    headers: desktopChrome,
    ip: (n) => `165.225.72.${n}`,
  },
  {
    kind: 'double clicks',
    source: 'assumed: a second click follows within 180 ms',
    count: 10,
    headers: desktopChrome,
    ip: (n) => v4('93.192', Math.floor(n / 2)),
    apartMs: 180,
  },
  {
    kind: 'several links of a newsletter, opened in tabs',
    source: 'assumed: a person opens a tab in 0.8 s',
    count: 30,
    headers: () => desktopChrome(3),
    ip: (n) => v4('77.20', Math.floor(n / 3)),
    links: 3,
    apartMs: 800,
  },
  {
    kind: 'phones behind one address of a carrier, at the same moment',
    source: 'RFC 6888: carrier-grade NAT',
    count: 9,
    headers: (n) => ({
      ...phoneSafari(n),
      'user-agent': chrome(`Linux; Android ${10 + n}; K`, 139, 'Mobile '),
    }),
    ip: () => '80.187.100.9',
    links: 9,
    apartMs: 40,
  },
  {
    kind: 'cloud desktops and VPNs in data centers, which are marked by mistake',
    source: 'docs.aws.amazon.com: WorkSpaces; getoutline.org',
    count: 3,
    headers: desktopChrome,
    ip: (n) => ['3.120.5.6', '20.50.2.3', '138.197.10.11'][n]!,
  },
];

const headless = (n: number): Headers => ({
  'user-agent': chrome(WINDOWS, 120 + (n % 5)),
  'accept-encoding': 'gzip, deflate, br',
});

const SCANNERS: readonly Kind[] = [
  {
    kind: 'Safe Links before delivery',
    source: 'opencollective/opencollective: issue 3656; warmbly/warmbly: pull request 412',
    count: 60,
    headers: (n) => ({ ...desktopChrome(n), 'user-agent': chrome(WINDOWS, 72 + n) }),
    ip: (n) => (n % 3 === 0 ? `40.94.16.${n}` : n % 3 === 1 ? `104.47.30.${n}` : `20.72.100.${n}`),
  },
  {
    kind: 'Proofpoint, from its own networks',
    source: 'proofpoint.my.site.com/support/PPSup_SupportInfo; mautic/mautic: issue 16263',
    count: 35,
    headers: desktopChrome,
    ip: (n) => `67.231.152.${n}`,
  },
  {
    kind: 'Proofpoint, from Amazon',
    source: 'gophish/gophish: issue 2115',
    count: 15,
    headers: headless,
    ip: (n) => `52.202.10.${n}`,
  },
  {
    kind: 'Mimecast',
    source: 'SPF record of _netblocks.mimecast.com; gophish/gophish: issue 2961',
    count: 30,
    headers: desktopChrome,
    ip: (n) => `207.211.30.${70 + n}`,
  },
  {
    kind: 'Barracuda',
    source: 'connect.act-on.com: Identifying False Positives in Email Clicks',
    count: 30,
    headers: desktopChrome,
    ip: (n) => `209.222.82.${n}`,
  },
  {
    kind: 'Google Safe Browsing and Gmail, from Google Cloud',
    source: 'support.arternal.com: clickthroughs triggered by email security scanners',
    count: 15,
    headers: desktopChrome,
    ip: (n) => `34.72.10.${n}`,
  },
  {
    kind: 'urlscan and other sandboxes in data centers',
    source: 'assumed: urlscan and others run Chrome in data centers',
    count: 20,
    headers: (n) => ({ ...desktopChrome(n), ...hints(130, 'Linux') }),
    ip: (n) => (n % 2 === 0 ? `138.197.10.${n}` : `45.76.10.${n}`),
  },
  {
    kind: 'headless Chrome with the user agent of a person',
    source: 'WICG/ua-client-hints; monperrus/crawler-user-agents: pull request 198',
    count: 10,
    headers: (n) => ({
      ...desktopChrome(n),
      'sec-ch-ua': '"HeadlessChrome";v="131", "Chromium";v="131", "Not_A Brand";v="24"',
    }),
    ip: (n) => v4('195.201', n),
  },
  {
    kind: 'gateways of companies that send few headers',
    source: 'berstend/puppeteer-extra: issue 51; resend/resend-node: issue 901',
    count: 15,
    headers: headless,
    ip: (n) => v4('212.60', n),
  },
  {
    kind: 'gateways that send a language, and no fetch metadata',
    source: 'apify/fingerprint-suite: issue 152; W3C Fetch Metadata Request Headers',
    count: 10,
    headers: (n) => ({ ...headless(n), 'accept-language': 'en-US' }),
    ip: (n) => v4('213.60', n),
  },
  {
    kind: 'scanners that open all links at once from networks of companies',
    source: 'mautic/mautic: issue 16263; support.arternal.com',
    count: 6,
    headers: () => desktopChrome(5),
    ip: (n) => v4('217.60', Math.floor(n / 6)),
    links: 6,
    apartMs: 90,
  },
  {
    kind: 'scanners that nothing tells from a person',
    source: 'resend/resend-node: issue 901 (168.90.91.133)',
    count: 4,
    headers: desktopChrome,
    ip: (n) => `168.90.91.${130 + n}`,
  },
];

const HOUR_MS = 3_600_000;

function recorded(label: RecordedVisit['label'], kinds: readonly Kind[]): RecordedVisit[] {
  return kinds.flatMap(
    ({ kind, source, count, headers, ip, isSecure = true, links = 1, apartMs }, index) =>
      Array.from({ length: count }, (_, n) => ({
        label,
        kind,
        source,
        headers: headers(n),
        ip: ip(n),
        isSecure,
        linkId: `link_${n % links}`,
        at: index * HOUR_MS + n * (apartMs ?? 20_000),
      })),
  );
}

export const RECORDED_VISITS: readonly RecordedVisit[] = [
  ...recorded('person', PEOPLE),
  ...recorded('scanner', SCANNERS),
];

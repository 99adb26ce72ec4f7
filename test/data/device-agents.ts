/** A browser with the device, system and browser to read from its headers. */
export interface DeviceAgent {
  name: string;
  /** Public place that shows the headers, or the name that they stand for. */
  source: string;
  userAgent: string;
  /** Client hints: platform, whether it is mobile, and brands. */
  hints?: readonly [platform: string, mobile: '?0' | '?1', brands?: string];
  device: string;
  os: string;
  browser: string;
  /** Platform whose apps the link opens. */
  platform: 'ios' | 'android' | undefined;
}

const GECKO = '(KHTML, like Gecko)';
const CHROME_END = `AppleWebKit/537.36 ${GECKO} Chrome/139.0.0.0 Safari/537.36`;
const LINUX = `Mozilla/5.0 (X11; Linux x86_64) ${CHROME_END}`;
const WINDOWS = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME_END}`;
const MAC = `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${CHROME_END}`;
const ANDROID = `Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 ${GECKO} Chrome/139.0.0.0 Mobile Safari/537.36`;
const brandsOf = (brand: string) => `"Not;A=Brand";v="99", "${brand}";v="139", "Chromium";v="139"`;

const UA_CH = 'WICG/ua-client-hints: README.md';
const DESKTOP_MODE = 'bowser-js/bowser: issue 556; developer.chrome.com: desktop mode';
const BRAVE = 'nielsbasjes/yauaa: issue 830; brave/brave-core: pull request 15134';
const PARSER = 'faisalman/ua-parser-js: tests of client hints';
const SAMSUNG = 'developer.samsung.com/smarttv: user agent string format';
const KAIOS = 'developer.kaiostech.com: user agent';
const ISBOT = 'omrilotan/isbot: issue 314';

/** Browsers whose user agent alone is misread, or misleads. */
export const DEVICE_AGENTS: readonly DeviceAgent[] = [
  {
    name: 'Facebook on Android without the part of a browser',
    source: ISBOT,
    userAgent:
      '[FBAN/FB4A;FBAV/567.1.0.52.74;FBBV/1003893689;FBDM/{density=3.0,width=1080,height=2340};FBLC/nl_NL;FBCR/T-Mobile;FBMF/samsung;FBPN/com.facebook.katana;FBDV/SM-S921B;FBSV/16;FBCA/arm64-v8a:;]',
    device: 'Mobile',
    os: 'Android',
    browser: 'Facebook',
    platform: 'android',
  },
  {
    name: 'Facebook on Android with a blank in the name of the network',
    source: ISBOT,
    userAgent:
      '[FBAN/FB4A;FBAV/567.1.0.52.74;FBCR/KPN NL;FBPN/com.facebook.katana;FBDV/Pixel 8;FBSV/16;]',
    device: 'Mobile',
    os: 'Android',
    browser: 'Facebook',
    platform: 'android',
  },
  {
    name: 'Facebook on an Android tablet',
    source: ISBOT,
    userAgent: '[FBAN/FB4A;FBAV/567.1.0.52.74;FBPN/com.facebook.katana;FBDV/SM-X906C;FBSV/14;]',
    device: 'Tablet',
    os: 'Android',
    browser: 'Facebook',
    platform: 'android',
  },
  {
    name: 'Messenger on Android',
    source: ISBOT,
    userAgent:
      '[FBAN/Orca-Android;FBAV/440.0.0.30.109;FBPN/com.facebook.orca;FBDV/SM-S921B;FBSV/14]',
    device: 'Mobile',
    os: 'Android',
    browser: 'Facebook',
    platform: 'android',
  },
  {
    name: 'Messenger on Android without the name of the package',
    source: ISBOT,
    userAgent: '[FB_IAB/Orca-Android;FBAV/440.0.0.30.109;]',
    device: 'Mobile',
    os: 'Android',
    browser: 'Facebook',
    platform: 'android',
  },
  {
    name: 'Facebook on an iPhone without the part of a browser',
    source: ISBOT,
    userAgent:
      '[FBAN/FBIOS;FBAV/567.1.0.52.74;FBBV/1003893689;FBDV/iPhone15,2;FBMD/iPhone;FBSN/iOS;FBSV/17.5]',
    device: 'Mobile',
    os: 'iOS',
    browser: 'Facebook',
    platform: 'ios',
  },
  {
    name: 'Facebook on an iPad without the part of a browser',
    source: ISBOT,
    userAgent: '[FBAN/FBIOS;FBAV/567.1.0.52.74;FBDV/iPad13,8;FBMD/iPad;FBSN/iPadOS;FBID/tablet]',
    device: 'Tablet',
    os: 'iOS',
    browser: 'Facebook',
    platform: 'ios',
  },
  {
    name: 'Messenger on an iPhone without the name of the device',
    source: ISBOT,
    userAgent: '[FBAN/MessengerForiOS;FBAV/440.0.0.30.109;FBLC/en_US]',
    device: 'Mobile',
    os: 'iOS',
    browser: 'Facebook',
    platform: 'ios',
  },

  {
    name: 'Chrome on an Android phone in desktop mode',
    source: DESKTOP_MODE,
    userAgent: LINUX,
    hints: ['"Android"', '?1', brandsOf('Google Chrome')],
    device: 'Mobile',
    os: 'Android',
    browser: 'Chrome',
    platform: 'android',
  },
  {
    name: 'Chrome on an Android tablet in desktop mode',
    source: DESKTOP_MODE,
    userAgent: LINUX,
    hints: ['"Android"', '?0', brandsOf('Google Chrome')],
    device: 'Tablet',
    os: 'Android',
    browser: 'Chrome',
    platform: 'android',
  },
  {
    name: 'Chrome on an Android phone',
    source: UA_CH,
    userAgent: ANDROID,
    hints: ['"Android"', '?1', brandsOf('Google Chrome')],
    device: 'Mobile',
    os: 'Android',
    browser: 'Chrome',
    platform: 'android',
  },
  {
    name: 'an app on Android with a view of Chromium',
    source: 'matomo-org/device-detector: issue 6989',
    userAgent: `${ANDROID} Instagram 361.0.0.46.88 Android (34/14; 480dpi; 1080x2340; samsung; SM-S918B; dm3q; qcom; en_GB)`,
    hints: ['"Android"', '?1', brandsOf('Android WebView')],
    device: 'Mobile',
    os: 'Android',
    browser: 'Instagram',
    platform: 'android',
  },
  {
    name: 'Chrome on Windows that pretends to be an iPhone',
    source: UA_CH,
    userAgent: `Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 ${GECKO} Version/17.5 Mobile/15E148 Safari/604.1`,
    hints: ['"Windows"', '?0', brandsOf('Google Chrome')],
    device: 'Desktop',
    os: 'Windows',
    browser: 'Chrome',
    platform: undefined,
  },
  {
    name: 'Chrome on Linux',
    source: UA_CH,
    userAgent: LINUX,
    hints: ['"Linux"', '?0', brandsOf('Google Chrome')],
    device: 'Desktop',
    os: 'Linux',
    browser: 'Chrome',
    platform: undefined,
  },
  {
    name: 'Chromium on Ubuntu, which the platform calls Linux',
    source: UA_CH,
    userAgent: `Mozilla/5.0 (X11; Ubuntu; Linux x86_64) ${CHROME_END}`,
    hints: ['"Linux"', '?0', '"Chromium";v="139", "Not=A?Brand";v="24"'],
    device: 'Desktop',
    os: 'Ubuntu',
    browser: 'Chrome',
    platform: undefined,
  },
  {
    name: 'Chrome on a Chromebook',
    source: UA_CH,
    userAgent: `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${CHROME_END}`,
    hints: ['"Chrome OS"', '?0', brandsOf('Google Chrome')],
    device: 'Desktop',
    os: 'Chromium OS',
    browser: 'Chrome',
    platform: undefined,
  },
  {
    name: 'a phone with HarmonyOS, whose platform is Android',
    source: 'faisalman/ua-parser-js: issue 754',
    userAgent: `Mozilla/5.0 (Linux; Android 12; HarmonyOS; NOH-AN00; HMSCore 6.14.0.322) AppleWebKit/537.36 ${GECKO} Chrome/114.0.5735.196 HuaweiBrowser/15.0.4.312 Mobile Safari/537.36`,
    hints: ['"Android"', '?1', '"HuaweiBrowser";v="114", "Chromium";v="114"'],
    device: 'Mobile',
    os: 'HarmonyOS',
    browser: 'Huawei Browser',
    platform: 'android',
  },
  {
    name: 'a browser with hints that nobody knows',
    source: UA_CH,
    userAgent: MAC,
    hints: ['"Unknown"', '?0', '"Nobody";v="1"'],
    device: 'Desktop',
    os: 'Mac OS',
    browser: 'Chrome',
    platform: undefined,
  },
  ...[
    ['Brave', WINDOWS, 'Windows', '"Windows"', 'Brave', BRAVE],
    ['Vivaldi', LINUX, 'Linux', '"Linux"', 'Vivaldi', PARSER],
    ['Opera', `${MAC} OPR/123.0.0.0`, 'Mac OS', '"macOS"', 'Opera', PARSER],
    [
      'Microsoft Edge',
      `${WINDOWS} Edg/139.0.0.0`,
      'Windows',
      '"Windows"',
      'Edge',
      'MicrosoftDocs/edge-developer: pull request 1296',
    ],
    [
      'Microsoft Edge',
      WINDOWS,
      'Windows',
      '"Windows"',
      'Edge',
      'MicrosoftDocs/edge-developer: pull request 1296',
    ],
    ['DuckDuckGo', `${WINDOWS} Edg/139.0.0.0`, 'Windows', '"Windows"', 'DuckDuckGo', PARSER],
  ].map(([brand, userAgent, os, platform, browser, source], at) => ({
    name: `${brand} by its brand (${at + 1})`,
    source: source!,
    userAgent: userAgent!,
    hints: [platform!, '?0', brandsOf(brand!)] as const,
    device: 'Desktop',
    os: os!,
    browser: browser!,
    platform: undefined,
  })),
  {
    name: 'Brave on Android',
    source: BRAVE,
    userAgent: ANDROID,
    hints: ['"Android"', '?1', brandsOf('Brave')],
    device: 'Mobile',
    os: 'Android',
    browser: 'Brave',
    platform: 'android',
  },

  {
    name: 'DuckDuckGo on Windows',
    source: 'ua-parser/uap-core: pull request 574',
    userAgent: `${WINDOWS} Edg/139.0.0.0 Ddg/139.0.0.0`,
    device: 'Desktop',
    os: 'Windows',
    browser: 'DuckDuckGo',
    platform: undefined,
  },
  {
    name: 'KaiOS in capital letters',
    source: KAIOS,
    userAgent: 'Mozilla/5.0 (Mobile; Nokia_8110_4G; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5',
    device: 'Mobile',
    os: 'KaiOS',
    browser: 'Firefox',
    platform: undefined,
  },
  {
    name: 'KaiOS in its own spelling',
    source: KAIOS,
    userAgent: 'Mozilla/5.0 (Mobile; LYF/F220B; rv:48.0) Gecko/48.0 Firefox/48.0 KaiOS/2.5.1',
    device: 'Mobile',
    os: 'KaiOS',
    browser: 'Firefox',
    platform: undefined,
  },
  {
    name: 'a television with Tizen 2.3',
    source: SAMSUNG,
    userAgent: `Mozilla/5.0 (Linux; Tizen 2.3) AppleWebKit/538.1 ${GECKO} Version/2.3 TV Safari/538.1`,
    device: 'Smarttv',
    os: 'Tizen',
    browser: 'Safari',
    platform: undefined,
  },
  {
    name: 'a television with Tizen and hints of Linux',
    source: SAMSUNG,
    userAgent: `Mozilla/5.0 (SMART-TV; LINUX; Tizen 6.0) AppleWebKit/537.36 ${GECKO} 76.0.3809.146/6.0 TV Safari/537.36`,
    hints: ['"Linux"', '?0'],
    device: 'Smarttv',
    os: 'Tizen',
    browser: 'Safari',
    platform: undefined,
  },
  {
    name: 'a phone with Tizen',
    source: SAMSUNG,
    userAgent: `Mozilla/5.0 (Linux; Tizen 2.3; SAMSUNG SM-Z130H) AppleWebKit/537.3 ${GECKO} Version/2.3 Mobile Safari/537.3`,
    device: 'Mobile',
    os: 'Tizen',
    browser: 'Safari',
    platform: undefined,
  },
];

/** Headers with which a browser asks. */
export const headersOf = ({ userAgent, hints }: DeviceAgent): Record<string, string> => ({
  'user-agent': userAgent,
  ...(hints !== undefined && {
    'sec-ch-ua-platform': hints[0],
    'sec-ch-ua-mobile': hints[1],
    ...(hints[2] !== undefined && { 'sec-ch-ua': hints[2] }),
  }),
});

import { LRUCache } from 'lru-cache';
import UAParser from 'ua-parser-js';
import { memoize } from '../infra/memoize.ts';
import { type ClientHints, parseHints } from './client-hints.ts';
import { UNKNOWN } from './places.ts';

const namesIn = (text: string): string[] => text.split(', ');

/** Kinds of devices that {@link readDevice} distinguishes. */
export const DEVICES = [
  'Desktop',
  'Mobile',
  'Tablet',
  'Smarttv',
  'Console',
  'Wearable',
  'Embedded',
] as const;

/**
 * Common browser names of {@link readDevice}, from the readme of ua-parser-js. The list is
 * incomplete, since some names are copied from the user agent.
 */
export const BROWSERS = namesIn(
  '115, 2345, 2345Explorer, 360, Alipay, Amaya, Android Browser, Arora, Avant, ' +
    'Avast Secure Browser, AVG Secure Browser, Baidu, Basilisk, Blazer, Bolt, Brave, Bowser, ' +
    'Camino, Chimera, Chrome, Chrome Headless, Chrome WebView, Chromium, Cobalt, Coc Coc, ' +
    'Comodo Dragon, Daum, Dillo, Dolphin, Doris, DuckDuckGo, Edge, Electron, Epiphany, Facebook, ' +
    'Falkon, Fennec, Firebird, Firefox, Firefox Focus, Firefox Reality, Flock, Flow, GSA, ' +
    'GoBrowser, Helio, HeyTap, Huawei Browser, iCab, ICE Browser, IE, IEMobile, IceApe, IceCat, ' +
    'IceDragon, Iceweasel, Instagram, Iridium, Iron, Jasmine, KAKAOSTORY, KAKAOTALK, K-Meleon, ' +
    'Kindle, Klar, Klarna, Konqueror, Ladybird, LBBROWSER, LibreWolf, Line, LinkedIn, Links, ' +
    'Lunascape, Lynx, MIUI Browser, Maemo Browser, Maxthon, Midori, Minimo, Mobile Safari, ' +
    'Mosaic, Mozilla, NAVER, NetFront, NetSurf, Netscape, NokiaBrowser, Obigo, Oculus Browser, ' +
    'OmniWeb, Opera, Opera Coast, Opera GX, Opera Mini, Opera Mobi, Opera Tablet, Opera Touch, ' +
    'PaleMoon, PhantomJS, Phoenix, Pico Browser, Polaris, Puffin, QQ, QQBrowser, QQBrowserLite, ' +
    'Quark, QupZilla, RockMelt, Safari, Sailfish Browser, Samsung Internet, SeaMonkey, Silk, ' +
    'Skyfire, Sleipnir, SlimBoat, SlimBrowser, Slimjet, Smart Lenovo Browser, Snapchat, ' +
    'Sogou Explorer, Sogou Mobile, Swiftfox, Tesla, TikTok, Tizen Browser, Twitter, UCBrowser, ' +
    'UP.Browser, Vivaldi, Vivo Browser, w3m, Waterfox, WebKit, WeChat, Weibo, Whale, Wolvic, ' +
    'Yandex',
);

/** Common operating system names of {@link readDevice}; incomplete like {@link BROWSERS}. */
export const SYSTEMS = namesIn(
  'AIX, AmigaOS, Android, Android-x86, Arch, Bada, BeOS, BlackBerry, CentOS, Chromecast, ' +
    'Chromium OS, Contiki, Fedora, Firefox OS, FreeBSD, Debian, Deepin, DragonFly, ' +
    'elementary OS, Fuchsia, Gentoo, GhostBSD, GNU, Haiku, HarmonyOS, HP-UX, Hurd, iOS, Joli, ' +
    'KaiOS, Kubuntu, Linpus, Linspire, Linux, Lubuntu, Mac OS, Maemo, Mageia, Mandriva, Manjaro, ' +
    'MeeGo, Minix, Mint, MorphOS, NetBSD, NetRange, NetTV, Nintendo, OpenBSD, OpenHarmony, ' +
    'OpenVMS, OS/2, Palm, PC-BSD, PCLinuxOS, Plan9, PlayStation, QNX, Raspbian, RedHat, ' +
    'RIM Tablet OS, RISC OS, Sabayon, Sailfish, SerenityOS, Series40, Slackware, Solaris, SUSE, ' +
    'Symbian, Tizen, Ubuntu, Ubuntu Touch, Unix, VectorLinux, Viera, watchOS, webOS, Windows, ' +
    'Windows Phone, Windows Mobile, Windows IoT, Xbox, Xubuntu, Zenwalk',
);

/** A visitor's device, operating system and browser. */
export interface Device {
  /** One of {@link DEVICES}. */
  device: string;
  browser: string;
  os: string;
}

/**
 * Patterns that only occur on an iPad, which identifies itself as a Macintosh: names that other
 * browsers have only on iOS, and "Mobile" in in-app browsers. Safari itself cannot be told from
 * Safari on a Mac.
 */
const ON_IPAD_ALONE = /crios|fxios|edgios|opios|opt\/|gsa\/|duckduckgo\/\d|mobile\//i;

function isDisguisedIpad(userAgent: string): boolean {
  const mac = userAgent.search(/macintosh/i);
  return mac >= 0 && ON_IPAD_ALONE.test(userAgent.slice(mac));
}

/**
 * Apps of Facebook that send no part of a usual browser: only fields in brackets (isbot: issue
 * 314).
 */
export const FACEBOOK_APP = /^\[FB(?:AN|_IAB)\//;
/** Names of iOS and its devices in these fields, such as `FBAN/MessengerForiOS`. */
const FACEBOOK_IOS = /iphone|ipad|ipod|\bFB(?:AN|SN)\/\w*ios\b/i;
/** Names of apps for Android in these fields, and the field with the package name. */
const FACEBOOK_ANDROID = /\bFB4A\b|-Android\b|\bFBPN\//;

function facebookSystem(userAgent: string): 'iOS' | 'Android' | undefined {
  if (FACEBOOK_IOS.test(userAgent)) return 'iOS';
  return FACEBOOK_ANDROID.test(userAgent) ? 'Android' : undefined;
}

const isIos = (userAgent: string): boolean =>
  /iphone|ipad|ipod/i.test(userAgent) || isDisguisedIpad(userAgent);

/** Windows phones claimed to be Android too. */
const isAndroid = (userAgent: string): boolean =>
  /android/i.test(userAgent) && !/windows phone/i.test(userAgent);

/**
 * Finds the platform whose apps a visitor can open.
 *
 * @param hinted the operating system of the client hints, which precedes the user agent
 */
export function platformOf(userAgent: string, hinted?: string): 'ios' | 'android' | undefined {
  const os = hinted ?? (FACEBOOK_APP.test(userAgent) ? facebookSystem(userAgent) : undefined);
  if (os !== undefined) return os === 'iOS' ? 'ios' : os === 'Android' ? 'android' : undefined;
  if (isIos(userAgent)) return 'ios';
  return isAndroid(userAgent) ? 'android' : undefined;
}

/**
 * Parses a user agent and the client hints of `hintsOf`, which precede it where both contradict
 * each other.
 */
export const readDevice = (userAgent: string, hints = ''): Device =>
  hints === '' ? readAgent(userAgent) : readHinted(`${hints}\0${userAgent}`);

/** Number of user agents to remember, and as many with hints. */
const REMEMBERED_AGENTS = 10_000;
const readAgent = memoize(parseAgent, new LRUCache({ max: REMEMBERED_AGENTS }));
/** Takes hints, which contain no NUL, a NUL, and the user agent. */
const readHinted = memoize(
  (key: string) => {
    const end = key.indexOf('\0');
    return withHints(readAgent(key.slice(end + 1)), parseHints(key.slice(0, end)));
  },
  new LRUCache<string, Device>({ max: REMEMBERED_AGENTS }),
);

function parseAgent(userAgent: string): Device {
  const { browser, os, device } = new UAParser(userAgent).getResult();
  const type = device.type ?? 'desktop';
  const result = {
    device: type.charAt(0).toUpperCase() + type.slice(1),
    browser: DUCKDUCKGO.test(userAgent) ? 'DuckDuckGo' : (browser.name ?? UNKNOWN),
    os: os.name === undefined ? UNKNOWN : systemOf(os.name),
  };
  if (FACEBOOK_APP.test(userAgent)) {
    const isTablet = result.device === 'Tablet' || /ipad|\bFBID\/tablet/i.test(userAgent);
    return {
      device: isTablet ? 'Tablet' : 'Mobile',
      browser: 'Facebook',
      os: facebookSystem(userAgent) ?? result.os,
    };
  }
  if (isDisguisedIpad(userAgent)) return { ...result, device: 'Tablet', os: 'iOS' };
  if (result.os === 'Tizen' && result.device === 'Desktop' && /\bTV\b/i.test(userAgent)) {
    return { ...result, device: 'Smarttv' };
  }
  return result;
}

/** DuckDuckGo for Windows and macOS, which on Windows names Edge before itself. */
const DUCKDUCKGO = /\bDdg\/\d/;

const SYSTEM_BY_LOWER: ReadonlyMap<string, string> = new Map(
  SYSTEMS.map((name) => [name.toLowerCase(), name]),
);

/** Names an operating system, which ua-parser-js partly copies from the user agent (`KAIOS`). */
const systemOf = (name: string): string => SYSTEM_BY_LOWER.get(name.toLowerCase()) ?? name;

/**
 * Names that earlier releases stored as user agents spell them, since ua-parser-js copies them, by
 * spelling: `KAIOS` is KaiOS.
 */
export const EARLIER_SYSTEMS: ReadonlyMap<string, string> = new Map(
  [
    'Android',
    'Bada',
    'BlackBerry',
    'KaiOS',
    'Maemo',
    'MeeGo',
    'OpenHarmony',
    'QNX',
    'RIM Tablet OS',
    'Sailfish',
    'Series40',
    'Symbian',
    'Tizen',
    'webOS',
  ].flatMap((name) =>
    [name.toLowerCase(), name.toUpperCase()].flatMap((spelling) =>
      spelling === name ? [] : [[spelling, name] as const],
    ),
  ),
);

/** Names a stored operating system. */
export const storedSystemOf = (os: string): string => EARLIER_SYSTEMS.get(os) ?? os;

/** Lists the stored spellings of operating systems. */
export const spellingsOfSystems = (systems: readonly string[]): string[] => {
  const names = new Set(systems.map(storedSystemOf));
  const earlier = [...EARLIER_SYSTEMS].filter(([, name]) => names.has(name));
  return [...names, ...earlier.map(([spelling]) => spelling)];
};

/** Platforms of client hints under which more than one operating system appears. */
const PLATFORMS: ReadonlyMap<string, string> = new Map([
  ...['Android', 'Android-x86', 'Chromecast', 'HarmonyOS', 'OpenHarmony'].map(
    (os) => [os, 'Android'] as const,
  ),
  ...['Windows', 'Windows Phone', 'Windows Mobile', 'Windows IoT', 'Xbox'].map(
    (os) => [os, 'Windows'] as const,
  ),
  ...['Chromium OS', 'Fuchsia', 'iOS', 'Mac OS'].map((os) => [os, os] as const),
]);

/** The other systems of Chromium, from Debian to webOS, appear as Linux. */
const platformOfSystem = (os: string): string | undefined =>
  os === UNKNOWN ? undefined : (PLATFORMS.get(os) ?? 'Linux');

/** Devices that client hints can tell from each other. */
const HINTED_DEVICES = new Set(['Desktop', 'Mobile', 'Tablet']);

/** Replaces what client hints contradict. A more specific name, such as Ubuntu, stays. */
function withHints(device: Device, { os, isMobile, browser }: ClientHints): Device {
  const result = { ...device };
  if (os !== undefined && platformOfSystem(device.os) !== os) result.os = os;
  if (os !== undefined && isMobile !== undefined && HINTED_DEVICES.has(device.device)) {
    const large = os === 'Android' || os === 'iOS' ? 'Tablet' : 'Desktop';
    result.device = isMobile ? 'Mobile' : large;
  }
  // "Opera GX" and "Chrome WebView" are kinds of what the brand says.
  if (browser !== undefined && !device.browser.startsWith(browser)) result.browser = browser;
  return result;
}

import { LRUCache } from 'lru-cache';
import UAParser from 'ua-parser-js';
import { memoize } from '../infra/memoize.ts';
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

/** True for the user agent of an iPhone, iPod or iPad. */
export const isIos = (userAgent: string): boolean =>
  /iphone|ipad|ipod/i.test(userAgent) || isDisguisedIpad(userAgent);

/** Parses a user agent. */
export const readDevice = memoize(parseDevice, new LRUCache({ max: 10_000 }));

function parseDevice(userAgent: string): Device {
  const { browser, os, device } = new UAParser(userAgent).getResult();
  const type = device.type ?? 'desktop';
  const result = {
    device: type.charAt(0).toUpperCase() + type.slice(1),
    browser: browser.name ?? UNKNOWN,
    os: os.name ?? UNKNOWN,
  };
  return isDisguisedIpad(userAgent) ? { ...result, device: 'Tablet', os: 'iOS' } : result;
}

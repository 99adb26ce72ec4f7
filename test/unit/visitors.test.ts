// User agents from public lists, read from development dependencies and not copied:
// - crawler-user-agents, MIT license, (c) Martin Monperrus and contributors
// - user-agents, BSD-2-Clause license, (c) Intoli, LLC
// - the device descriptors of playwright-core, Apache-2.0 license, (c) Microsoft Corporation
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import crawlers from 'crawler-user-agents';
import { devices } from 'playwright-core';
import { TrustedProxies } from '../../src/infra/trusted-proxies.ts';
import { type Visitor, VisitorReader } from '../../src/redirect/visitor.ts';
import { readDevice } from '../../src/visitors/device.ts';
import { CHAT_APPS, DISCORD_PROXY, PREVIEW_FETCHERS } from '../data/chat-agents.ts';
import { DEVICE_AGENTS, headersOf } from '../data/device-agents.ts';

interface Crawler {
  readonly pattern: string;
  readonly userAgent: string;
  readonly isPreview: boolean;
}

interface Browser {
  readonly userAgent: string;
  readonly platform: string;
  readonly deviceCategory: 'mobile' | 'tablet' | 'desktop';
  readonly screenWidth: number;
  readonly screenHeight: number;
}

const CRAWLERS: readonly Crawler[] = crawlers.flatMap((crawler) => {
  const { tags = [] } = crawler as { tags?: readonly string[] };
  return crawler.instances.map((userAgent) => ({
    pattern: crawler.pattern,
    userAgent,
    isPreview: tags.includes('social-preview'),
  }));
});

/** Visits of people; the same browser appears with many screens and platforms. */
const BROWSERS = JSON.parse(
  readFileSync(new URL('user-agents.json', import.meta.resolve('user-agents')), 'utf8'),
) as readonly Browser[];
const BROWSER_AGENTS = distinct(BROWSERS);

const DEVICES = Object.entries(devices).map(([name, { userAgent }]) => ({ name, userAgent }));
const NAMED_AGENTS = distinct(DEVICES);

/** Listed crawlers that people use, so no rule may classify them as bots. */
const PEOPLE_AFTER_ALL: Readonly<Record<string, string>> = {
  'MetaIAB Facebook': 'the browser inside the Facebook app, which opens what people tap on',
  'AP3A\\.240617\\.008': 'the browser inside Instagram, on a build of Android that millions have',
  'Code\\/1\\.': 'the browser inside Visual Studio Code, in front of a developer',
  'Trae\\/': 'the browser inside the editor Trae, in front of a developer',
  Fluid: 'an app of macOS that shows one web site in a window of its own',
};

/** User agents that request pages for previews, although the list does not say so. */
const PREVIEWS_AFTER_ALL: Readonly<Record<string, string>> = {
  'developers\\.google\\.com\\/\\+\\/web\\/snippet': 'made the snippets of Google+',
  'facebookcatalog\\/': 'shows the pages of shops in the catalogue of Facebook',
};

/**
 * Share of a list's visits that can be read as another device, since people let browsers pretend to
 * be others, and new editions of a list can add such visits.
 */
const MOST_DISAGREEMENTS = 0.001;

/** A phone of 2012 that ua-parser-js classifies as a tablet because of its model name. */
const MISREAD = /^Galaxy Note II\b/;

/** Minimum width of a tablet's screen, in CSS pixels. */
const TABLET_WIDTH = 600;
/**
 * Share of screens that can contradict the user agent, because of windows side by side, foldable
 * phones, phones in desktop mode, and phones emulated on a desktop.
 */
const MOST_SCREEN_DISAGREEMENTS = 0.02;

const MACINTOSH = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15';
const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15';
const IPAD = 'Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15';
const GECKO = '(KHTML, like Gecko)';
const ANDROID = `Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A.231005.007; wv) AppleWebKit/537.36 ${GECKO} Version/4.0 Chrome/127.0.6533.103 Mobile Safari/537.36`;
const WINDOWS = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 ${GECKO}`;

const reader = new VisitorReader(new TrustedProxies([]));

function read(userAgent: string, headers: Readonly<Record<string, string>> = {}): Visitor {
  return reader.read({
    headers: { 'user-agent': userAgent, ...headers },
    socket: { remoteAddress: '203.0.113.5' },
  } as unknown as IncomingMessage);
}

function distinct(list: readonly { readonly userAgent: string }[]): readonly string[] {
  return [...new Set(list.map(({ userAgent }) => userAgent))];
}

const isPerson = ({ pattern }: Crawler) => Object.hasOwn(PEOPLE_AFTER_ALL, pattern);
const isPreview = (crawler: Crawler) =>
  Object.hasOwn(PREVIEWS_AFTER_ALL, crawler.pattern) || crawler.isPreview;
const isFound = (userAgent: string) => read(userAgent).traffic.class !== 'person';

describe('bots among visitors', () => {
  const bots = CRAWLERS.filter((crawler) => !isPerson(crawler));
  const previews = bots.filter(isPreview);
  const others = bots.filter((crawler) => !isPreview(crawler));
  const people = CRAWLERS.filter(isPerson);

  it('has complete lists of user agents', () => {
    expect(CRAWLERS.length).to.be.above(2_000);
    expect(previews.length).to.be.above(130);
    expect(BROWSERS.length).to.be.above(9_000);
    expect(BROWSER_AGENTS.length).to.be.above(900);
    expect(NAMED_AGENTS.length).to.be.above(50);
  });

  it(`recognizes ${bots.length} bots`, () => {
    const wrong = bots.filter(({ userAgent }) => !isFound(userAgent));
    expect(wrong).to.deep.equal([]);
  });

  it(`shows a preview to each of ${previews.length} link-preview crawlers`, () => {
    const wrong = previews.filter(({ userAgent }) => !read(userAgent).isCrawler);
    expect(wrong).to.deep.equal([]);
  });

  it(`redirects ${others.length} other crawlers, without a preview`, () => {
    const wrong = others.filter(({ userAgent }) => read(userAgent).isCrawler);
    expect(wrong).to.deep.equal([]);
  });

  it(`counts ${people.length} browsers that look like crawlers`, () => {
    expect(people.filter(({ userAgent }) => isFound(userAgent))).to.deep.equal([]);
  });

  it('has no exception that the list no longer needs', () => {
    const patterns = new Set(CRAWLERS.map(({ pattern }) => pattern));
    const exceptions = [...Object.keys(PEOPLE_AFTER_ALL), ...Object.keys(PREVIEWS_AFTER_ALL)];
    expect(exceptions.filter((pattern) => !patterns.has(pattern))).to.deep.equal([]);
  });

  it(`counts all of ${BROWSER_AGENTS.length} browsers from ${BROWSERS.length} visits`, () => {
    expect(BROWSER_AGENTS.filter(isFound)).to.deep.equal([]);
  });

  it(`counts all of ${NAMED_AGENTS.length} browsers of well-known devices`, () => {
    expect(NAMED_AGENTS.filter(isFound)).to.deep.equal([]);
  });

  const purposes: [header: string, value: string][] = [
    ['sec-purpose', 'prefetch'],
    ['sec-purpose', 'prefetch;prerender'],
    ['sec-purpose', 'prefetch;anonymous-client-ip'],
    ['purpose', 'prefetch'],
    ['x-purpose', 'preview'],
    ['x-moz', 'prefetch'],
  ];
  for (const [header, value] of purposes) {
    it(`does not count a browser with ${header}: ${value}`, () => {
      const classOf = (agent: string) => read(agent, { [header]: value }).traffic.class;
      expect(BROWSER_AGENTS.filter((agent) => classOf(agent) !== 'prefetch')).to.deep.equal([]);
    });
  }
});

describe('in-app browsers', () => {
  const apps: [app: string, agent: string, platform: 'ios' | 'android' | undefined][] = [
    [
      'Facebook on an iPhone',
      `${IPHONE} ${GECKO} Mobile/15E148 [FBAN/FBIOS;FBAV/468.0.0.47.108;FBBV/1234;FBDV/iPhone15,2;FBMD/iPhone;FBSN/iOS;FBSV/17.5;FBSS/3;FBID/phone;FBLC/en_US;FBOP/5]`,
      'ios',
    ],
    [
      'Facebook on an iPad',
      `${IPAD} ${GECKO} Mobile/15E148 [FBAN/FBIOS;FBAV/468.0.0.47.108;FBDV/iPad13,8;FBMD/iPad]`,
      'ios',
    ],
    ['Facebook on Android', `${ANDROID} [FB_IAB/FB4A;FBAV/468.0.0.32.107;IABMV/1;]`, 'android'],
    [
      'Facebook on an iPhone since 2025',
      `${IPHONE} ${GECKO} Mobile/22G100 Safari/604.1 MetaIAB Facebook`,
      'ios',
    ],
    ['Facebook on Android since 2025', `${ANDROID} IABMV/1 MetaIAB Facebook`, 'android'],
    [
      'Facebook on Android without the part of a usual browser',
      '[FBAN/FB4A;FBAV/567.1.0.52.74;FBBV/1003893689;FBDM/{density=3.0,width=1080,height=2340};FBLC/nl_NL;FBPN/com.facebook.katana;FBDV/SM-S921B;FBSV/16;FBCA/arm64-v8a:;]',
      'android',
    ],
    [
      'Facebook on an iPhone without it',
      '[FBAN/FBIOS;FBAV/567.1.0.52.74;FBBV/1003893689;FBDV/iPhone15,2;FBMD/iPhone;FBSN/iOS;FBSV/17.5]',
      'ios',
    ],
    [
      'Messenger without it',
      '[FBAN/MessengerForiOS;FBAV/440.0.0.30.109;FBBV/1234;FBDV/iPhone15,2;FBMD/iPhone;FBSN/iOS]',
      'ios',
    ],
    ['Messenger', `${IPHONE} ${GECKO} Mobile/15E148 [FBAN/MessengerForiOS;FBAV/440.0]`, 'ios'],
    ['Outlook on an iPhone', `${IPHONE} ${GECKO} Mobile/15E148 Outlook-iOS/749.4.prod`, 'ios'],
    [
      'Instagram on an iPhone',
      `${IPHONE} ${GECKO} Mobile/15E148 Instagram 361.0.0.31.88 (iPhone15,2; iOS 17_5; en_US; en; scale=3.00; 1179x2556; 776538208; IABMV/1)`,
      'ios',
    ],
    [
      'Instagram on Android',
      `${ANDROID} Instagram 361.0.0.46.88 Android (34/14; 480dpi; 1080x2340; samsung; SM-S918B; dm3q; qcom; en_GB; 674675155; IABMV/1)`,
      'android',
    ],
    [
      'Threads',
      `${IPHONE} ${GECKO} Mobile/22H352 Barcelona 431.0.0.2 (iPhone15,2; iOS 18_0; en_US)`,
      'ios',
    ],
    ['LinkedIn on an iPhone', `${IPHONE} ${GECKO} Mobile/15E148 [LinkedInApp]/9.32.2485`, 'ios'],
    ['LinkedIn on Android', `${ANDROID} [LinkedInApp]/2.312.70`, 'android'],
    ['X on an iPhone', `${IPHONE} ${GECKO} Mobile/21G93 Twitter for iPhone/10.64.1`, 'ios'],
    ['X on Android', `${ANDROID} TwitterAndroid`, 'android'],
    [
      'Snapchat on an iPhone',
      `${IPHONE} ${GECKO} Mobile/15E148 Snapchat/13.3.0.44 (like Safari/8618.2.12.10.4, panda)`,
      'ios',
    ],
    [
      'Snapchat on Android',
      `${ANDROID} Snapchat/13.5.0.46 (like Chrome/127.0.6533.103)`,
      'android',
    ],
    ['Pinterest on an iPhone', `${IPHONE} ${GECKO} Mobile/15E148 [Pinterest/iOS]`, 'ios'],
    ['Pinterest on Android', `${ANDROID} [Pinterest/Android]`, 'android'],
    [
      'Safari, opened by WhatsApp',
      `${IPHONE} ${GECKO} Version/18.5 Mobile/15E148 Safari/604.1`,
      'ios',
    ],
    [
      'Chrome, opened by WhatsApp',
      `Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 ${GECKO} Chrome/127.0.0.0 Mobile Safari/537.36`,
      'android',
    ],
    [
      'Slack on a desktop',
      `${WINDOWS} Slack/4.38.125 Chrome/124.0.0.0 Electron/30.0.0 Safari/537.36 Sonic Slack_SSB/4.38.125`,
      undefined,
    ],
    [
      'Discord on a desktop',
      `${WINDOWS} discord/1.0.9202 Chrome/134.0.6998.205 Electron/35.3.0 Safari/537.36`,
      undefined,
    ],
    [
      'Notion on a desktop',
      `${WINDOWS} Notion/3.0.0 Chrome/120.0.6099.56 Electron/28.0.0 Safari/537.36`,
      undefined,
    ],
    [
      'the overlay of Steam',
      `Mozilla/5.0 (Windows; U; Windows NT 10.0; en-US; Valve Steam GameOverlay/1697508126; ) AppleWebKit/537.36 ${GECKO} Chrome/85.0.4183.121 Safari/537.36`,
      undefined,
    ],
    ['LINE on an iPhone', `${IPHONE} ${GECKO} Mobile/15E148 Safari Line/14.10.0`, 'ios'],
    ['LINE on Android', `${ANDROID} Line/14.9.0/IAB`, 'android'],
    ['KakaoTalk on an iPhone', `${IPHONE} ${GECKO} Mobile/15E148 KAKAOTALK 25.8.0`, 'ios'],
    ['KakaoTalk on Android', `${ANDROID};KAKAOTALK 2409760`, 'android'],
    [
      'WeChat on an iPhone',
      `${IPHONE} ${GECKO} Mobile/15E148 MicroMessenger/8.0.49(0x18003128) NetType/WIFI Language/en`,
      'ios',
    ],
    [
      'WeChat on Android',
      `${ANDROID} XWEB/1160117 MMWEBSDK/20240801 MMWEBID/1136 MicroMessenger/8.0.51.2702(0x28003342) WeChat/arm64 Weixin GPVersion/1 NetType/WIFI Language/zh_CN ABI/arm64`,
      'android',
    ],
    [
      'WeChat on Android, in the process "toolsmp"',
      `${ANDROID} XWEB/3211 MMWEBSDK/20220303 MMWEBID/966 MicroMessenger/8.0.21.2120(0x280015E5) Process/toolsmp WeChat/arm64 Weixin NetType/5G Language/zh_CN ABI/arm64`,
      'android',
    ],
    [
      'WeChat on Android, in the process "tools"',
      `${ANDROID} MQQBrowser/6.2 TBS/045513 MMWEBID/4985 MicroMessenger/7.0.22.1820(0x2700163B) Process/tools WeChat/arm64 Weixin NetType/WIFI Language/zh_CN ABI/arm64`,
      'android',
    ],
    [
      'TikTok on an iPhone',
      `${IPHONE} ${GECKO} Mobile/15E148 musical_ly_34.5.0 JsSdk/2.0 NetType/WIFI Channel/App Store ByteLocale/en ByteFullLocale/en Region/US isDarkMode/1 WKWebView/1 BytedanceWebview/d8a21c6`,
      'ios',
    ],
    [
      'TikTok on Android',
      `${ANDROID} trill_2023205020 JsSdk/1.0 NetType/WIFI Channel/googleplay AppName/musical_ly app_version/32.5.2 ByteLocale/en ByteFullLocale/en Region/GB BytedanceWebview/d8a21c6`,
      'android',
    ],
    [
      'Telegram on Android',
      `${ANDROID} Telegram-Android/11.6.1 (Samsung SM-G998B; Android 14; SDK 34; HIGH)`,
      'android',
    ],
    ['Viber on an iPhone', `${IPHONE} ${GECKO} Mobile/15E148 Viber/20.6.0.0`, 'ios'],
    ['Viber on Android', `${ANDROID} Viber/16.5.0.18`, 'android'],
    [
      'Viber on a Mac',
      `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_4) AppleWebKit/537.36 ${GECKO} QtWebEngine/5.6.0 Chrome/45.0.2454.101 Safari/537.36 Viber`,
      undefined,
    ],
    ['Tumblr', `${IPHONE} ${GECKO} Mobile/15E148 Tumblr/34.1`, 'ios'],
    ['NAVER', `${ANDROID} NAVER(inapp; search; 2000; 12.10.3)`, 'android'],
    [
      'SeaMonkey with the calendar Lightning',
      'Mozilla/5.0 (X11; U; Linux x86_64; fr; rv:1.9.1.9) Gecko/20100428 Lightning/1.0b1 SeaMonkey/2.0.4',
      undefined,
    ],
  ];
  for (const [app, agent, platform] of apps) {
    it(`counts ${app}, with its platform`, () => {
      const visitor = read(agent);
      expect(visitor.traffic.class).to.equal('person');
      expect(visitor.platform).to.equal(platform);
    });
  }

  const fetchers: [app: string, agent: string][] = [
    ['Facebook', 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)'],
    ['WhatsApp', 'WhatsApp/2.24.10.76 i'],
    ['X', 'Twitterbot/1.0'],
    ['LinkedIn', 'LinkedInBot/1.0 (compatible; Mozilla/5.0; +http://www.linkedin.com)'],
    ['Viber', 'Viber/18.0.1.286 CFNetwork/1335.0.3 Darwin/21.6.0'],
    ['Mastodon', 'Mastodon/4.3.0 (http.rb/5.2.0; +https://mastodon.social/)'],
    ['Bluesky', 'Mozilla/5.0 (compatible; Bluesky Cardyb/1.1; +mailto:support@bsky.app)'],
    ['Tumblr', 'Tumblr/14.0.835.186'],
    [
      'Pinterest',
      'Mozilla/5.0 (compatible; Pinterestbot/1.0; +https://www.pinterest.com/bot.html)',
    ],
    ['KakaoTalk', 'facebookexternalhit/1.1; kakaotalk-scrap/1.0; +https://devtalk.kakao.com/'],
  ];
  for (const [app, agent] of fetchers) {
    it(`does not count the preview fetcher of ${app}`, () => {
      expect(read(agent).traffic.class).to.equal('preview');
    });
  }

  for (const { app, userAgent, source } of PREVIEW_FETCHERS) {
    it(`does not count the server of ${app} (${source})`, () => {
      expect(read(userAgent).traffic.class).to.equal('preview');
    });
  }

  for (const { app, userAgent, source } of CHAT_APPS) {
    it(`counts ${app} (${source})`, () => {
      expect(isFound(userAgent)).to.equal(false);
    });
  }

  it(`does not count ${DISCORD_PROXY.app} (${DISCORD_PROXY.source}), or show it a preview`, () => {
    expect(read(DISCORD_PROXY.userAgent).traffic.class).to.equal('bot');
  });

  it('counts other versions of the browser as which the proxy of Discord appears', () => {
    expect(isFound(DISCORD_PROXY.userAgent.replaceAll('38.0', '78.0'))).to.equal(false);
    expect(isFound(`${DISCORD_PROXY.userAgent} Waterfox/38.0`)).to.equal(false);
  });
});

describe('devices', () => {
  for (const agent of DEVICE_AGENTS) {
    it(`reads ${agent.name} (${agent.source})`, () => {
      const { device, os, browser, platform, traffic, hints } = read('', headersOf(agent));
      const expected = { device: agent.device, os: agent.os, browser: agent.browser };
      expect({ device, os, browser }).to.deep.equal(expected);
      expect(platform).to.equal(agent.platform);
      expect(traffic.class).to.equal('person');
      expect(readDevice(agent.userAgent, hints)).to.deep.equal(expected);
    });
  }

  it('reads damaged hints like none', () => {
    const chrome = `${WINDOWS} Chrome/139.0.0.0 Safari/537.36`;
    const damaged = [
      '',
      '"',
      '"Android',
      'Android',
      '"Brave";v',
      '\\"Brave\\";v="1"',
      '"'.repeat(9_000),
    ];
    for (const value of damaged) {
      const names = ['sec-ch-ua-platform', 'sec-ch-ua-mobile', 'sec-ch-ua'];
      const visitor = read(chrome, Object.fromEntries(names.map((name) => [name, value])));
      const { device, os, browser, platform } = visitor;
      expect({ device, os, browser, platform }, value).to.deep.equal({
        device: 'Desktop',
        os: 'Windows',
        browser: 'Chrome',
        platform: undefined,
      });
      expect(visitor.hints.length).to.be.below(1_000);
    }
  });

  it('reads a user agent with line ends, which another service may report', () => {
    expect(readDevice(`${ANDROID}\n"Windows"\n?0\n`).os).to.equal('Android');
  });

  // An Android user agent on an iPhone is forged.
  const iphones = BROWSERS.filter(
    ({ platform, userAgent }) =>
      /^(iPhone|iPad|iPod)/.test(platform) && !userAgent.includes('Android'),
  );
  const androids = BROWSERS.filter(({ userAgent }) => userAgent.includes('Android'));
  const desktops = BROWSERS.filter(
    ({ platform, deviceCategory }) =>
      /^(Win32|MacIntel|Linux x86_64)$/.test(platform) && deviceCategory === 'desktop',
  );
  const platforms: [what: string, visits: readonly Browser[], platform: string | undefined][] = [
    ['visits from an iPhone, iPad or iPod to the App Store', iphones, 'ios'],
    ['visits from Android to Google Play', androids, 'android'],
    ['visits from a desktop to neither', desktops, undefined],
  ];
  for (const [what, visits, platform] of platforms) {
    const agents = distinct(visits);
    it(`sends ${visits.length} ${what} (${agents.length} browsers)`, () => {
      expect(agents.length).to.be.above(50);
      const wrong = agents.filter((agent) => read(agent).platform !== platform);
      expect(wrong).to.deep.equal([]);
    });
  }

  function expectedDevice({ userAgent, deviceCategory }: Browser): string {
    if (userAgent.includes('iPhone')) return 'Mobile';
    if (userAgent.includes('iPad')) return 'Tablet';
    if (deviceCategory === 'desktop') return 'Desktop';
    return deviceCategory === 'tablet' ? 'Tablet' : 'Mobile';
  }

  const misread = BROWSERS.filter(
    (visit) => read(visit.userAgent).device !== expectedDevice(visit),
  );

  it(`reads the device of ${BROWSERS.length} visits as listed, but for ${misread.length}`, () => {
    expect(new Set(BROWSERS.map(expectedDevice))).to.have.keys('Mobile', 'Tablet', 'Desktop');
    expect(misread.length).to.be.at.most(MOST_DISAGREEMENTS * BROWSERS.length);
  });

  // The list was sorted with the library that also detects devices here, while screens are
  // independent of it.
  const androidDevices = androids.filter(({ platform }) => /^Linux (arm|aarch)/.test(platform));
  const oddScreens = androidDevices.filter(({ userAgent, screenWidth, screenHeight }) => {
    const isTablet = Math.min(screenWidth, screenHeight) >= TABLET_WIDTH;
    return read(userAgent).device !== (isTablet ? 'Tablet' : 'Mobile');
  });

  it(`distinguishes tablets from phones as ${androidDevices.length} screens do, but for ${oddScreens.length}`, () => {
    expect(androidDevices.length).to.be.above(500);
    expect(oddScreens.length).to.be.at.most(MOST_SCREEN_DISAGREEMENTS * androidDevices.length);
  });

  const named = DEVICES.filter(
    ({ name }) => /^(iP|Galaxy|Pixel|Nexus|Moto|LG|Desktop)/.test(name) && !MISREAD.test(name),
  );

  it(`reads ${named.length} well-known devices as what their names say`, () => {
    const wrong = named.filter(({ name, userAgent }) => {
      const { device, platform } = read(userAgent);
      const isTablet = /^(iPad|Galaxy Tab|Nexus 7|Nexus 10)/.test(name);
      const isDesktop = name.startsWith('Desktop');
      const phone = name.startsWith('iP') ? 'ios' : 'android';
      return (
        device !== (isDesktop ? 'Desktop' : isTablet ? 'Tablet' : 'Mobile') ||
        platform !== (isDesktop ? undefined : phone)
      );
    });
    expect(wrong).to.deep.equal([]);
  });

  const macs: [what: string, agent: string, platform: 'ios' | undefined][] = [
    ['Chrome', `${MACINTOSH} ${GECKO} CriOS/138.0.7204.53 Version/18.5 Safari/604.1`, 'ios'],
    ['Firefox', `${MACINTOSH} ${GECKO} FxiOS/140.0 Safari/605.1.15`, 'ios'],
    ['Edge', `${MACINTOSH} ${GECKO} EdgiOS/137.0.3296.52 Version/18.0 Safari/604.1`, 'ios'],
    ['Opera', `${MACINTOSH} ${GECKO} Version/18.5 Safari/604.1 OPT/5.5.1`, 'ios'],
    ['the Google app', `${MACINTOSH} ${GECKO} GSA/373.1.776439290 Safari/604.1`, 'ios'],
    ['a view inside an app', `${MACINTOSH} ${GECKO} Mobile/15E148`, 'ios'],
    [
      'a view that names Safari',
      `${MACINTOSH} ${GECKO} Version/16.6 Mobile/15E148 Safari/604.1`,
      'ios',
    ],
    ['Instagram', `${MACINTOSH} ${GECKO} Mobile/15E148 Instagram 361.0.0.31.88`, 'ios'],
    ['Safari', `${MACINTOSH} ${GECKO} Version/18.5 Safari/605.1.15`, undefined],
    [
      'Chrome for macOS',
      `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 ${GECKO} Chrome/138.0.0.0 Safari/537.36`,
      undefined,
    ],
    [
      'Edge for macOS',
      `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 ${GECKO} Chrome/138.0.0.0 Safari/537.36 Edg/138.0.0.0`,
      undefined,
    ],
    [
      'Firefox for macOS',
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0',
      undefined,
    ],
    [
      'Opera for macOS',
      `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 ${GECKO} Chrome/138.0.0.0 Safari/537.36 OPR/122.0.0.0`,
      undefined,
    ],
    [
      'Slack for macOS',
      `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 ${GECKO} Slack/4.46.99 Chrome/138.0.7204.251 Electron/37.3.1 Safari/537.36 Sonic Slack_SSB/4.46.99`,
      undefined,
    ],
  ];
  for (const [what, agent, platform] of macs) {
    const is = platform === undefined ? 'leaves a Mac what it says it is' : 'finds the iPad';
    it(`${is}, in ${what}`, () => {
      const visitor = read(agent);
      expect(visitor.platform).to.equal(platform);
      expect(visitor.traffic.class).to.equal('person');
    });
  }
});

import { CHAT_APPS, DISCORD_PROXY, PREVIEW_FETCHERS } from '../../data/chat-agents.ts';
import {
  A,
  AGENTS,
  B,
  by,
  CARD,
  card,
  FACEBOOK,
  frame,
  GERMANY,
  HEAD,
  link,
  NO_CRAWLERS,
  NOT_FOUND,
  NOTHING,
  PAGE,
  PASSWORD,
  page,
  qrCode,
  type Row,
  type Topic,
  to,
} from './row.ts';

const CRAWLERS: Record<string, string> = {
  Facebook: FACEBOOK,
  Twitter: 'Twitterbot/1.0',
  LinkedIn: 'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
  WhatsApp: 'WhatsApp/2.23.20.0 A',
  Slack: 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  Telegram: 'TelegramBot (like TwitterBot)',
  Discord: 'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
  'Teams and Skype': `Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com`,
  Pinterest: 'Pinterest/0.2 (+https://www.pinterest.com/bot.html)Mozilla/5.0 (compatible)',
  Reddit: 'Mozilla/5.0 (compatible; redditbot/1.0; +http://www.reddit.com/feedback)',
  Mastodon: 'http.rb/5.1.1 (Mastodon/4.2.1; +https://mastodon.social/)',
  Bluesky: 'Mozilla/5.0 (compatible; Bluesky Cardyb/1.1; +mailto:support@bsky.app)',
  iMessage: `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0`,
  Iframely: 'Iframely/1.3.1 (+https://iframely.com/docs/about) Atlassian',
  VK: 'Mozilla/5.0 (compatible; vkShare; +http://vk.com/dev/Share)',
};

export const crawlers: Topic[] = [
  {
    topic: 'a preview for crawlers',
    rows: [
      ...Object.entries(CRAWLERS).map(
        ([name, userAgent]): Row => [
          `is shown to ${name}`,
          link(CARD),
          by(userAgent),
          card('A card'),
        ],
      ),
      ...PREVIEW_FETCHERS.map(
        ({ app, userAgent }): Row => [
          `is shown to the server of ${app}`,
          link(CARD),
          by(userAgent),
          card('A card'),
        ],
      ),
      ...[...CHAT_APPS, DISCORD_PROXY].map(
        ({ app, userAgent }): Row => [`is not shown to ${app}`, link(CARD), by(userAgent), to(A)],
      ),
      ...Object.entries(NO_CRAWLERS).map(
        ([name, userAgent]): Row => [`is not shown to ${name}`, link(CARD), by(userAgent), to(A)],
      ),
      [
        'shows description and image',
        link({ proxy: true, description: 'Words', image: 'https://example.com/i.png' }),
        by(FACEBOOK),
        {
          status: 200,
          shows: [
            '<meta property="og:description" content="Words">',
            '<meta property="og:image" content="https://example.com/i.png">',
          ],
        },
      ],
      [
        'shows a video',
        link({ proxy: true, video: 'https://example.com/v.mp4' }),
        by(FACEBOOK),
        { status: 200, shows: ['<meta property="og:video" content="https://example.com/v.mp4">'] },
      ],
      [
        'escapes the fields of its owner',
        link({ proxy: true, title: '<script>"&' }),
        by(FACEBOOK),
        { status: 200, shows: ['content="&lt;script&gt;&quot;&amp;"'], hides: ['<script>"'] },
      ],
      ['is not shown without a field of its own', link({ proxy: true }), by(FACEBOOK), to(A)],
      ['is not shown without proxy', link({ title: 'A card' }), by(FACEBOOK), to(A)],
      ['is shown for a QR code', qrCode(CARD), by(FACEBOOK), card('A card')],
      [
        'is shown for HEAD without its body',
        link(CARD),
        { ...HEAD, ...by(FACEBOOK) },
        { status: 200, headers: { location: null } },
      ],
      [
        'is shown whatever the target of the country',
        link({ ...CARD, geo: { DE: B } }),
        { ...GERMANY, ...by(FACEBOOK) },
        card('A card'),
      ],
    ],
  },
  {
    topic: 'HEAD',
    rows: [
      ['gets the redirect', link(), HEAD, to(A)],
      ['gets the targeted redirect', link({ ios: B }), { ...HEAD, ...by(AGENTS.iPhone) }, to(B)],
      ['gets 404 for an unknown key', NOTHING, HEAD, { status: 404 }],
      ['gets 403 for a link with a password', link({ password: 'x' }), HEAD, { status: 403 }],
      ['gets the preview', link(), { ...HEAD, path: '/{key}+' }, { status: 200 }],
      ['gets the page before the destination', link(PAGE), HEAD, { status: 200 }],
      ['gets the frame', link({ url: '{site}/free', rewrite: true }), HEAD, { status: 200 }],
    ],
  },
  {
    topic: 'search engines',
    rows: [
      ['must not index a link', link(), {}, to(A, 302, { 'x-robots-tag': 'noindex' })],
      [
        'may index a link with doIndex',
        link({ doIndex: true }),
        {},
        to(A, 302, { 'x-robots-tag': null }),
      ],
      [
        'may index a link with doIndex that redirects by target',
        link({ doIndex: true, geo: { DE: B } }),
        GERMANY,
        to(B, 302, { 'x-robots-tag': null }),
      ],
      [
        'must not index a preview',
        link(CARD),
        by(FACEBOOK),
        {
          status: 200,
          headers: { 'x-robots-tag': 'noindex' },
          shows: ['<meta name="robots" content="noindex">'],
        },
      ],
      [
        'may index a preview with doIndex',
        link({ ...CARD, doIndex: true }),
        by(FACEBOOK),
        { status: 200, headers: { 'x-robots-tag': null }, hides: ['noindex'] },
      ],
      [
        'must not index a frame',
        link({ url: '{site}/free', rewrite: true }),
        {},
        { ...frame('{site}/free'), headers: { 'x-robots-tag': 'noindex' } },
      ],
      [
        'may index a frame with doIndex',
        link({ url: '{site}/free', rewrite: true, doIndex: true }),
        {},
        { ...frame('{site}/free'), headers: { 'x-robots-tag': null }, hides: ['noindex'] },
      ],
      [
        'may index a display page with doIndex',
        qrCode({ type: 'phone', phone: '+4930123456', doIndex: true }),
        {},
        { ...page(200, 'Call'), headers: { 'x-robots-tag': null }, hides: ['noindex'] },
      ],
      [
        'must not index a password page, even with doIndex',
        link({ doIndex: true, password: 'x' }),
        {},
        { ...PASSWORD, headers: { 'x-robots-tag': 'noindex' } },
      ],
      [
        'must not index an unknown key',
        NOTHING,
        {},
        { ...NOT_FOUND, headers: { 'x-robots-tag': 'noindex' } },
      ],
    ],
  },
];

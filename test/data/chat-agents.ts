/*
 * User agents of chats and social networks. `source` is where each was published: a file or an
 * issue of a public repository. Versions and hosts are examples.
 */

export interface PublishedAgent {
  app: string;
  userAgent: string;
  source: string;
}

const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)';
const LINUX = 'Mozilla/5.0 (X11; Linux x86_64)';
const BLINK = 'AppleWebKit/537.36 (KHTML, like Gecko)';

/** Servers that fetch a page to preview it. */
export const PREVIEW_FETCHERS: readonly PublishedAgent[] = [
  {
    app: 'Zulip',
    userAgent: 'Mozilla/5.0 (compatible; ZulipURLPreview/9.0; +https://chat.example)',
    source: 'zulip/zulip: zerver/lib/url_preview/preview.py',
  },
  {
    app: 'Nextcloud until version 32',
    userAgent: 'Nextcloud Server Crawler',
    source: 'nextcloud/server: lib/private/Http/Client/Client.php',
  },
  {
    app: 'Nextcloud',
    userAgent: 'Nextcloud-Server-Crawler/34.0.0',
    source: 'nextcloud/server: lib/private/Http/Client/Client.php',
  },
  {
    app: 'Nextcloud that states its URL',
    userAgent: 'Nextcloud-Server-Crawler/34.0.0; +https://cloud.example',
    source: 'nextcloud/server: lib/private/Http/Client/Client.php',
  },
  {
    app: 'Pleroma',
    userAgent: 'Pleroma 2.6.0; https://social.example <admin@social.example>; Bot',
    source: 'external-mirrors/pleroma: lib/pleroma/web/rich_media/helpers.ex',
  },
  {
    app: 'Akkoma',
    userAgent: 'Akkoma 3.15.2; https://social.example <admin@social.example>; Bot',
    source: 'BDX-town/Akkoma: lib/pleroma/web/rich_media/helpers.ex',
  },
  {
    app: 'Akkoma without the suffix',
    userAgent: 'Akkoma 3.15.2; https://social.example <admin@social.example>',
    source: 'external-mirrors/akkoma: lib/pleroma/application.ex',
  },
  {
    app: 'Mastodon until version 4.2',
    userAgent: 'http.rb/5.1.1 (Mastodon/4.2.1; +https://social.example/)',
    source: 'mastodon/mastodon: lib/mastodon/version.rb',
  },
  {
    app: 'Mastodon',
    userAgent: 'Mastodon/4.3.0 (http.rb/5.2.0; +https://social.example/) Bot',
    source: 'mastodon/mastodon: app/services/fetch_link_card_service.rb',
  },
  {
    app: 'Activity-Relay',
    userAgent: 'Example Relay (golang net/http; Activity-Relay 2.0.10; relay.example)',
    source: 'yukimochi/Activity-Relay: deliver/sender.go',
  },
  {
    app: 'ActivityRelay',
    userAgent: 'ActivityRelay/0.3.3',
    source: 'mastodon-ml/relay: relay/http_client.py',
  },
  {
    app: 'Mattermost',
    userAgent: 'Mattermost-Bot/1.1',
    source: 'mattermost/mattermost: server/platform/services/httpservice/client.go',
  },
  {
    app: 'Rocket.Chat',
    userAgent: `${LINUX} ${BLINK} Chrome/41.0.2227.0 Safari/537.36 Rocket.Chat/6.1.0`,
    source: 'RocketChat/Rocket.Chat: apps/meteor/app/oembed/server/server.ts',
  },
  {
    app: 'Rocket.Chat before its release',
    userAgent: `${LINUX} ${BLINK} Chrome/41.0.2227.0 Safari/537.36 Rocket.Chat/8.0.0-rc.1`,
    source: 'RocketChat/Rocket.Chat: apps/meteor/app/oembed/server/server.ts',
  },
  {
    app: 'Lemmy',
    userAgent: 'Lemmy/0.19.8; +https://social.example',
    source: 'LemmyNet/lemmy: crates/api_common/src/request.rs',
  },
  {
    app: 'Bluesky',
    userAgent:
      'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Bluesky Cardyb/1.1; +mailto:support@bsky.app) Chrome/131.0.0.0 Safari/537.36',
    source: 'bluesky-social/social-app: issue 6521',
  },
  {
    app: 'Bluesky, for some hosts',
    userAgent: 'web:app.bsky:v0.0.1 (by support@bsky.app)',
    source: 'bluesky-social/social-app: issue 6538',
  },
  {
    app: 'Synapse',
    userAgent: 'Synapse (bot; +https://github.com/matrix-org/synapse)',
    source: 'element-hq/synapse: synapse/media/url_previewer.py',
  },
  {
    app: 'Continuwuity',
    userAgent: 'continuwuity/0.5.0+abcdef (bot; +https://continuwuity.org)',
    source: 'continuwuity/continuwuity: src/core/info/version.rs',
  },
  {
    app: 'Tuwunel',
    userAgent: 'Tuwunel/1.4.0',
    source: 'matrix-construct/tuwunel: src/core/info/version.rs',
  },
];

/** Proxy of Discord, which fetches the pictures that messages link to. */
export const DISCORD_PROXY: PublishedAgent = {
  app: 'Discord’s proxy of pictures',
  userAgent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.10; rv:38.0) Gecko/20100101 Firefox/38.0',
  source: 'discord/discord-api-docs: issue 1600',
};

/** Apps of the same chats, in which people open links. */
export const CHAT_APPS: readonly PublishedAgent[] = [
  {
    app: 'Zulip on a desktop',
    userAgent: `ZulipElectron/5.2.0 ${LINUX} ${BLINK} Zulip/5.2.0 Chrome/80.0.3987.165 Electron/8.2.5 Safari/537.36`,
    source: 'zulip/zulip: zerver/tests/test_compatibility.py',
  },
  {
    app: 'Mattermost on a desktop',
    userAgent: `${MAC} ${BLINK} Chrome/126.0.6478.127 Electron/31.2.1 Safari/537.36 Mattermost/5.9.0`,
    source: 'mattermost/mattermost: server/channels/app/user_agent_test.go',
  },
  {
    app: 'Rocket.Chat on a desktop',
    userAgent: `${MAC} ${BLINK} Rocket.Chat/2.15.2 Chrome/69.0.3497.128 Electron/4.1.4 Safari/537.36`,
    source:
      'RocketChat/Rocket.Chat: apps/meteor/tests/unit/app/statistics/server/lib/UAParserCustom.tests.js',
  },
  {
    app: 'Nextcloud on Android',
    userAgent: 'Mozilla/5.0 (Android) Nextcloud-android/3.24.1',
    source: 'nextcloud/server: tests/lib/AppFramework/Http/RequestTest.php',
  },
  {
    app: 'Nextcloud on an iPhone',
    userAgent: 'Mozilla/5.0 (iOS) Nextcloud-iOS/4.8.2',
    source: 'nextcloud/server: tests/lib/AppFramework/Http/RequestTest.php',
  },
];

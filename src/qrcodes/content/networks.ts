import { parseUrl } from '../../infra/url.ts';

/** Names of networks, by the domains of their profiles. */
const NETWORKS: Readonly<Record<string, string>> = {
  'behance.net': 'Behance',
  'bsky.app': 'Bluesky',
  'discord.com': 'Discord',
  'discord.gg': 'Discord',
  'dribbble.com': 'Dribbble',
  'facebook.com': 'Facebook',
  'fb.me': 'Facebook',
  'github.com': 'GitHub',
  'gitlab.com': 'GitLab',
  'instagram.com': 'Instagram',
  'line.me': 'LINE',
  'linkedin.com': 'LinkedIn',
  'mastodon.social': 'Mastodon',
  'medium.com': 'Medium',
  'm.me': 'Messenger',
  'patreon.com': 'Patreon',
  'pinterest.com': 'Pinterest',
  'reddit.com': 'Reddit',
  'signal.me': 'Signal',
  'snapchat.com': 'Snapchat',
  'soundcloud.com': 'SoundCloud',
  'open.spotify.com': 'Spotify',
  't.me': 'Telegram',
  'threads.com': 'Threads',
  'threads.net': 'Threads',
  'tiktok.com': 'TikTok',
  'twitch.tv': 'Twitch',
  'twitter.com': 'X',
  'vk.com': 'VK',
  'wa.me': 'WhatsApp',
  'x.com': 'X',
  'xing.com': 'XING',
  'youtube.com': 'YouTube',
  'youtu.be': 'YouTube',
};

/** Names of all networks; they are the same in every language. */
export const NETWORK_NAMES = [...new Set(Object.values(NETWORKS))];

/** Name of the network that a URL belongs to, such as `LinkedIn`; `undefined` for another site. */
export function networkOf(url: string): string | undefined {
  const host = parseUrl(url)?.hostname ?? '';
  const domain = Object.keys(NETWORKS).find((one) => host === one || host.endsWith(`.${one}`));
  return domain === undefined ? undefined : NETWORKS[domain];
}

/** A social network, with its name and the URL of a profile by its handle. */
export interface Network {
  name: string;
  /** `{}` is the handle; absent if profiles have none. */
  template?: string;
}

/** Networks of profiles. `src/web/network-icons.ts` has their icons. */
export const NETWORKS = {
  behance: { name: 'Behance', template: 'https://www.behance.net/{}' },
  bluesky: { name: 'Bluesky', template: 'https://bsky.app/profile/{}' },
  discord: { name: 'Discord', template: 'https://discord.gg/{}' },
  dribbble: { name: 'Dribbble', template: 'https://dribbble.com/{}' },
  facebook: { name: 'Facebook', template: 'https://www.facebook.com/{}' },
  github: { name: 'GitHub', template: 'https://github.com/{}' },
  instagram: { name: 'Instagram', template: 'https://www.instagram.com/{}' },
  linkedin: { name: 'LinkedIn', template: 'https://www.linkedin.com/in/{}' },
  mastodon: { name: 'Mastodon', template: 'https://{}' },
  medium: { name: 'Medium', template: 'https://medium.com/@{}' },
  patreon: { name: 'Patreon', template: 'https://www.patreon.com/{}' },
  pinterest: { name: 'Pinterest', template: 'https://www.pinterest.com/{}' },
  reddit: { name: 'Reddit', template: 'https://www.reddit.com/user/{}' },
  snapchat: { name: 'Snapchat', template: 'https://www.snapchat.com/add/{}' },
  soundcloud: { name: 'SoundCloud', template: 'https://soundcloud.com/{}' },
  spotify: { name: 'Spotify', template: 'https://open.spotify.com/user/{}' },
  telegram: { name: 'Telegram', template: 'https://t.me/{}' },
  threads: { name: 'Threads', template: 'https://www.threads.com/@{}' },
  tiktok: { name: 'TikTok', template: 'https://www.tiktok.com/@{}' },
  twitch: { name: 'Twitch', template: 'https://www.twitch.tv/{}' },
  whatsapp: { name: 'WhatsApp', template: 'https://wa.me/{}' },
  x: { name: 'X', template: 'https://x.com/{}' },
  xing: { name: 'XING', template: 'https://www.xing.com/profile/{}' },
  youtube: { name: 'YouTube', template: 'https://www.youtube.com/@{}' },
  website: { name: 'Website' },
} satisfies Record<string, Network>;

export type NetworkName = keyof typeof NETWORKS;

/** All networks with their names, in the order of a choice. */
export const NETWORK_CHOICES = Object.entries<Network>(NETWORKS).map(
  ([network, { name }]) => [network, name] as const,
);

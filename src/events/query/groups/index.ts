import { count, counts, kpis } from './count.ts';
import { byDimension, cities, continents, countries, regions } from './dimension.ts';
import type { Group } from './group.ts';
import { topFolders, topTags } from './labels.ts';
import { trendLive } from './live.ts';
import { timeseries } from './timeseries.ts';
import { topEvents, topLinks, topPages, topQrCodes, variants } from './top.ts';

/** All values of `groupBy`. A plain dimension is a row here; others have a file beside this one. */
export const GROUPS = {
  count,
  totals: count,
  analytics: count,
  timeseries,
  ...counts,
  kpis,
  trend_live: trendLive,
  continents,
  countries,
  country: countries,
  region: regions,
  cities,
  city: cities,
  devices: byDimension('device', 'device', 'Devices', 'device'),
  browsers: byDimension('browser', 'browser', 'Browsers'),
  os: byDimension('system', 'os', 'Systems'),
  sources: byDimension('source', 'source', 'Sources', 'source'),
  referers: byDimension('referer', 'referer', 'Referrers', 'source'),
  referer_urls: byDimension('referer_url', 'refererUrl', 'Referring pages', 'source'),
  top_urls: byDimension('url', 'url', 'Destinations'),
  top_links: topLinks,
  top_qrcodes: topQrCodes,
  top_pages: topPages,
  top_tags: topTags,
  top_folders: topFolders,
  top_events: topEvents,
  variants,
  utm_sources: byDimension('utm_source', 'utm_source', 'utm_source'),
  utm_mediums: byDimension('utm_medium', 'utm_medium', 'utm_medium'),
  utm_campaigns: byDimension('utm_campaign', 'utm_campaign', 'utm_campaign'),
  utm_terms: byDimension('utm_term', 'utm_term', 'utm_term'),
  utm_contents: byDimension('utm_content', 'utm_content', 'utm_content'),
} satisfies Record<string, Group>;

export type GroupName = keyof typeof GROUPS;

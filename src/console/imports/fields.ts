import type { Schemas } from '../api/client.ts';

export type ImportField = NonNullable<Schemas['ImportField']>;

/** Fields of links by what people call them. */
export const FIELD_LABELS: Readonly<Record<ImportField, string>> = {
  url: 'Destination',
  shortLink: 'Short link',
  domain: 'Domain',
  key: 'Key (slug)',
  title: 'Title',
  description: 'Description',
  image: 'Picture',
  tagNames: 'Tags',
  comments: 'Comments',
  externalId: 'Your own id',
  createdAt: 'Created at',
  startsAt: 'Starts at',
  expiresAt: 'Expires at',
  expiredUrl: 'Destination once expired',
  maxVisits: 'Most visits',
  archived: 'Archived',
  password: 'Password',
  ios: 'Destination on iOS',
  android: 'Destination on Android',
  geo: 'Destinations by country (JSON)',
  rules: 'Rules (JSON)',
  testVariants: 'A/B test (JSON)',
  utm_source: 'UTM source',
  utm_medium: 'UTM medium',
  utm_campaign: 'UTM campaign',
  utm_term: 'UTM term',
  utm_content: 'UTM content',
  redirectStatus: 'Redirect status',
  forwardQuery: 'Forward the query',
  trackConversion: 'Track conversions',
  doIndex: 'Let search engines index it',
  publicStats: 'Public statistics',
  flexible: 'Flexible',
  proxy: 'Own preview',
  folderId: 'Id of the folder',
  importedClicks: 'Clicks before the import',
  hasPassword: 'Has a password',
  disabled: 'Switched off',
};

type Source = Schemas['Import']['source'];

/** Services whose links can be imported, by what people call them. */
export const SERVICES: Readonly<Record<Exclude<Source, 'csv' | 'workspace'>, string>> = {
  bitly: 'Bitly',
  dub: 'Dub',
  kutt: 'Kutt',
  shlink: 'Shlink',
  shortio: 'Short.io',
  yourls: 'YOURLS',
};

/** What people call the source of an import. */
export const sourceName = (source: Source): string =>
  ({ ...SERVICES, csv: 'CSV', workspace: 'Workspace' })[source];

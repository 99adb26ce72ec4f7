import type { Schemas } from '../api/client.ts';
import { refusalInWords } from '../api/error-words.ts';
import { labelOf } from '../api/field-labels.ts';

export type ImportField = NonNullable<Schemas['ImportField']>;

/** Labels of the link fields. */
export const FIELD_LABELS: Readonly<Record<ImportField, string>> = {
  url: 'Destination',
  shortLink: 'Short link',
  domain: 'Domain',
  key: 'Slug',
  title: 'Title',
  description: 'Description',
  image: 'Image',
  tagNames: 'Tags',
  comments: 'Comments',
  externalId: 'External ID',
  createdAt: 'Created at',
  startsAt: 'Starts at',
  expiresAt: 'Expires at',
  expiredUrl: 'Redirect expired links to',
  maxVisits: 'Click limit',
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
  forwardQuery: 'Forward query parameters',
  queryConflict: 'Parameters with the same name',
  trackConversion: 'Track conversions',
  doIndex: 'Search engine indexing',
  publicStats: 'Public statistics',
  flexible: 'Forward the path',
  proxy: 'Custom preview',
  rewrite: 'Show the destination in a frame',
  folderId: 'Folder ID',
  importedClicks: 'Clicks before the import',
  hasPassword: 'Has a password',
  disabled: 'Disabled',
  active: 'Active',
  status: 'Status (active or disabled)',
  hasSecret: 'Has a secret',
};

/** Translates the reason for which a row is refused, with the labels of the fields above. */
export const reasonInWords = (message: string): string =>
  refusalInWords(422, message, (path) => FIELD_LABELS[path as ImportField] ?? labelOf(path));

type Source = Schemas['Import']['source'];

/** Names of the services whose accounts can be imported. */
export const ACCOUNTS: Readonly<Record<Schemas['ImportPeer'], string>> = {
  bitly: 'Bitly',
  dub: 'Dub',
  kutt: 'Kutt',
  shlink: 'Shlink',
  shortio: 'Short.io',
  yourls: 'YOURLS',
};

/** Names of the services whose files can be imported. */
export const SERVICES: Readonly<Record<Exclude<Source, 'csv' | 'workspace'>, string>> = {
  ...ACCOUNTS,
  polr: 'Polr',
  sink: 'Sink',
};

/** Returns the name of an import's source. */
export const sourceName = (source: Source): string =>
  ({ ...SERVICES, csv: 'CSV', workspace: 'Workspace' })[source];

/** The parts of an address that ask for a list: filters and sorting by their names in the API. */
export type ListSearch = Partial<Record<string, string>>;

/** What sets the list of links and that of QR codes apart. */
export interface ListKind {
  /** Name of the list in the API, under which its answers are kept. */
  list: 'links' | 'qrcodes';
  /** Name for people: "QR code", "QR codes". */
  noun: { one: string; many: string };
  /** Fields that the search covers: "titles, slugs and URLs". */
  searched: string;
  /** Sorting by its name in the API; the first is what the API does by itself. */
  sorts: Readonly<Record<string, string>>;
  /** All filters. */
  filters: readonly string[];
  /** Filters that the other list doesn't have. */
  choices: readonly {
    name: string;
    label: string;
    options: readonly { value: string; label: string }[];
  }[];
  /** The filters by the number of visits, and how these are called. */
  visits: { least: string; most: string; label: string };
}

/** A kind of records with a short link, as lists and actions on them see it. */
export interface RecordKind<Row> extends ListKind {
  /** Name of the list as a title. */
  title: string;
  /** Route of the list. */
  route: '/$workspace/links' | '/$workspace/qrcodes';
  /** Parameter that names records in requests for many of them. */
  ids: 'linkIds' | 'qrcodeIds';
  /** Height of a row, in pixels. */
  rowPx: number;
  nameOf(record: Row): string;
  /** Text that the key for copying takes. */
  copyOf(record: Row): string;
  /** True for records whose deletion is confirmed first. */
  needsQuestion(records: readonly Row[]): boolean;
  /** Number of visits of a record. */
  visitsOf(record: Row): number;
  /** Name of one visit: "click". */
  visit: string;
  /** Says what a deletion of records stops. */
  consequenceOf(records: readonly Row[]): string;
}

/** Filters that ask whether a record has something. */
export const FEATURES: Readonly<Record<string, string>> = {
  hasTags: 'Has tags',
  hasPassword: 'Password',
  hasExpiration: 'Expiry',
  hasUTM: 'UTM parameters',
  hasCustomSocial: 'Custom link preview',
  hasGeo: 'Targets by country',
  hasDevice: 'Targets by device',
  hasComments: 'Comments',
  trackConversion: 'Tracks conversions',
};

/** Filters that links and QR codes share. */
export const SHARED_FILTERS: readonly string[] = [
  'search',
  'domain',
  'folderId',
  'tagIds',
  'showArchived',
  ...Object.keys(FEATURES),
  'createdAfter',
  'createdBefore',
];

/** True when a list doesn't show all records. */
export const hasFilters = ({ filters }: ListKind, search: ListSearch): boolean =>
  filters.some((name) => search[name] !== undefined);

import type { OptionList } from '../ui/field.tsx';

/** Filters and sort order in the URL of a list, by their names in the API. */
export type ListSearch = Partial<Record<string, string>>;

/**
 * Changes some search parameters in the URL of a list.
 *
 * @param replace true to replace the current entry of the browser's history
 */
export type SetSearch = (change: ListSearch, replace?: boolean) => void;

/** Properties of every control of a list's search. */
export interface SearchProps {
  kind: ListKind;
  search: ListSearch;
  setSearch: SetSearch;
}

/** The properties in which the lists of links and of QR codes differ. */
export interface ListKind {
  /** Path segment of the list in the API, also the noun of its query keys. */
  list: 'links' | 'qrcodes';
  /** Singular and plural noun: "QR code", "QR codes". */
  noun: { one: string; many: string };
  /** Formats a number of records: "2 QR codes". */
  inWords(count: number): string;
  /** Fields that the search covers: "titles, slugs and URLs". */
  searched: string;
  /** Labels of the sort orders by their names in the API; the first is the API's default. */
  sorts: Readonly<Record<string, string>>;
  /** Names of all filters. */
  filters: readonly string[];
  /** Filters that only this list has. */
  choices: readonly { name: string; label: string; options: OptionList }[];
  /** Names of the filters for the number of visits, and their label. */
  visits: { least: string; most: string; label: string };
}

/** A kind of record with a short link, for code that lists and changes both kinds. */
export interface RecordKind<Row> extends ListKind {
  title: string;
  route: '/$workspace/links' | '/$workspace/qrcodes';
  /** Query parameter with the ids in bulk requests. */
  ids: 'linkIds' | 'qrcodeIds';
  /** Row height in pixels. */
  rowPx: number;
  nameOf(record: Row): string;
  /** Returns the text that the copy shortcut copies. */
  copyOf(record: Row): string;
  /** Returns true when the deletion of the records needs a confirmation. */
  needsConfirmation(records: readonly Row[]): boolean;
  /** Returns the number of visits of a record. */
  visitsOf(record: Row): number;
  /** Noun for one visit: "click". */
  visit: string;
  /** Formats a number of visits: "2 clicks". */
  visitsInWords(count: number): string;
  /** Describes the effect of deleting the records. */
  consequenceOf(records: readonly Row[]): string;
}

/** Filters for records that use a feature, with their labels. */
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

/** True when the list is filtered. */
export const hasFilters = ({ filters }: ListKind, search: ListSearch): boolean =>
  filters.some((name) => search[name] !== undefined);

import { type Filter, type Filters, type Kind, textOf, type UtmFilter } from './event-query.ts';
import { nameOfContinent, nameOfCountry, nameOfDevice, nameOfSource, unknownOr } from './names.ts';
import type { GroupName, Row } from './queries.ts';

/** A list of values with their counts. */
export interface Tab {
  id: string;
  label: string;
  group: GroupName;
  /** Returns the name of a value for people. */
  nameOf(row: Row): string;
  /** Returns the first part of the name, which is truncated when space is short. */
  stemOf?(row: Row): string;
  /** Returns additional text beside the name. */
  hintOf?(row: Row): string;
  /** Returns the filters that select the value; `undefined` if the API has no such filter. */
  filterOf?(row: Row): Filters | undefined;
  /** Field with the counts, if it is not the chosen event's. */
  measure?: 'count';
}

/** A card of the page, which shows one of its tabs at a time. */
export interface Card {
  id: string;
  title: string;
  tabs: readonly Tab[];
  /** Returns the id of the tab to show first for a kind of event; by default, the first tab. */
  firstOf?(kind: Kind): string | undefined;
}

const text = (row: Row, field: string): string => String(row[field] ?? '');
const places = (...names: string[]): string => names.filter((name) => name !== '').join(', ');

const addressOf = (row: Row): string => `${text(row, 'domain')}/${text(row, 'key')}`;
const isDeleted = (row: Row): boolean => row['createdAt'] === null;

/** Returns filters that select one value each. */
const only = (values: Partial<Record<Filter, string>>): Filters =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, textOf([value])]));

const plain = (
  id: string,
  label: string,
  field: string,
  filter: Filter,
  nameOf = nameOfSource,
): Tab => ({
  id,
  label,
  group: id as GroupName,
  nameOf: (row) => nameOf(text(row, field)),
  filterOf: (row) => (text(row, field) === '' ? undefined : only({ [filter]: text(row, field) })),
});

const record = (id: string, label: string, group: GroupName, filter: Filter): Tab => ({
  id,
  label,
  group,
  nameOf: (row) => text(row, 'title') || addressOf(row),
  stemOf: (row) => (text(row, 'title') === '' ? text(row, 'domain') : ''),
  hintOf: (row) =>
    isDeleted(row) ? 'deleted' : text(row, 'title') === '' ? text(row, 'url') : addressOf(row),
  // The API cannot filter by a deleted record.
  filterOf: (row) => (isDeleted(row) ? undefined : only({ [filter]: text(row, 'id') })),
});

const campaign = (parameter: UtmFilter, label: string): Tab => ({
  id: parameter,
  label,
  group: `${parameter}s`,
  nameOf: (row) => text(row, parameter),
  filterOf: (row) => only({ [parameter]: text(row, parameter) }),
});

const label = (id: 'tags' | 'folders', name: string, filter: 'tagId' | 'folderId'): Tab => ({
  id,
  label: name,
  group: `top_${id}`,
  nameOf: (row) => text(row, 'name'),
  filterOf: (row) => only({ [filter]: text(row, 'id') }),
});

/** All cards in page order. */
export const CARDS: readonly Card[] = [
  {
    id: 'links',
    title: 'Links',
    firstOf: (kind) => ({ scans: 'qrcodes', views: 'pages' })[kind as string],
    tabs: [
      record('links', 'Links', 'top_links', 'linkId'),
      record('qrcodes', 'QR codes', 'top_qrcodes', 'qrcodeId'),
      plain('top_urls', 'Destinations', 'url', 'url'),
      {
        id: 'pages',
        label: 'Pages',
        group: 'top_pages',
        nameOf: (row) => text(row, 'title') || 'Deleted page',
        filterOf: (row) => (text(row, 'title') === '' ? undefined : { pageId: text(row, 'id') }),
      },
      {
        id: 'variants',
        label: 'Variants',
        group: 'variants',
        nameOf: (row) => text(row, 'variant'),
        hintOf: addressOf,
        filterOf: (row) => {
          const id = text(row, 'id');
          const of = id.startsWith('qr_') ? { qrcodeId: id } : { linkId: id };
          return only({ ...of, variant: text(row, 'variant') });
        },
      },
    ],
  },
  {
    id: 'referrers',
    title: 'Referrers',
    tabs: [
      plain('sources', 'Sources', 'source', 'source'),
      plain('referers', 'Referrers', 'referer', 'referer'),
      {
        id: 'referer_urls',
        label: 'Referring pages',
        group: 'referer_urls',
        nameOf: (row) => nameOfSource(text(row, 'refererUrl')),
      },
    ],
  },
  {
    id: 'locations',
    title: 'Locations',
    tabs: [
      {
        id: 'countries',
        label: 'Countries',
        group: 'countries',
        nameOf: (row) => nameOfCountry(text(row, 'country')),
        filterOf: (row) => only({ country: text(row, 'country') }),
      },
      {
        id: 'regions',
        label: 'Regions',
        group: 'region',
        nameOf: (row) => unknownOr(text(row, 'region')),
        hintOf: (row) => nameOfCountry(text(row, 'country')),
      },
      {
        id: 'cities',
        label: 'Cities',
        group: 'cities',
        nameOf: (row) => unknownOr(text(row, 'city')),
        hintOf: (row) => places(text(row, 'region'), nameOfCountry(text(row, 'country'))),
        filterOf: (row) => only({ city: text(row, 'city'), country: text(row, 'country') }),
      },
      plain('continents', 'Continents', 'continent', 'continent', nameOfContinent),
    ],
  },
  {
    id: 'devices',
    title: 'Devices',
    tabs: [
      plain('devices', 'Devices', 'device', 'device', nameOfDevice),
      plain('browsers', 'Browsers', 'browser', 'browser'),
      plain('os', 'Systems', 'os', 'os'),
    ],
  },
  {
    id: 'campaigns',
    title: 'Campaigns',
    tabs: [
      campaign('utm_source', 'Source'),
      campaign('utm_medium', 'Medium'),
      campaign('utm_campaign', 'Campaign'),
      campaign('utm_term', 'Term'),
      campaign('utm_content', 'Content'),
      label('tags', 'Tags', 'tagId'),
      label('folders', 'Folders', 'folderId'),
    ],
  },
];

/** The tab of conversions by name, beside the funnel. */
export const EVENTS_TAB: Tab = {
  id: 'events',
  label: 'Events',
  group: 'top_events',
  measure: 'count',
  nameOf: (row) => text(row, 'eventName'),
};

/** Finds a tab by its id. */
export const tabNamed = (id: string | undefined): Tab | undefined =>
  [...CARDS.flatMap(({ tabs }) => tabs), EVENTS_TAB].find((tab) => tab.id === id);

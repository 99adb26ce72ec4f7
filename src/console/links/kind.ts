import type { operations, Schemas } from '../api/client.ts';
import { type RecordKind, SHARED_FILTERS } from '../short-links/list-kind.ts';
import { shownHost } from '../short-links/shown-host.ts';
import { countOf } from '../ui/count-of.ts';

export type Link = Schemas['Link'];
type ListQuery = NonNullable<operations['listLinks']['parameters']['query']>;

/** Labels of the destination states, by the values of the filter. */
const DESTINATION_STATES: Readonly<Record<NonNullable<ListQuery['destinationState']>, string>> = {
  broken: 'Broken',
  failing: 'Failing',
  redirecting: 'Redirects to another site',
  unclear: 'Couldn’t be checked',
  ok: 'Works',
  unchecked: 'Not checked yet',
};

/** Number of links from which on a deletion needs a confirmation. */
const MANY = 10;

/** Names a link by its domain and slug. */
export const nameOf = (link: Link): string => `${shownHost(link)}/${link.key}`;

/** The URL in the code of a link, whose visits count as scans of the link. */
export const scanLinkOf = ({ qrCode }: Link): string => new URL(qrCode).searchParams.get('url')!;

const visitsOf = ({ clicks, importedClicks }: Link): number => clicks + importedClicks;

/** Links as a kind of record for lists and bulk actions. */
export const LINKS: RecordKind<Link> = {
  title: 'Links',
  route: '/$workspace/links',
  ids: 'linkIds',
  rowPx: 60,
  nameOf,
  copyOf: ({ shortLink }) => shortLink,
  // Links with visits need a confirmation, and so do too many links to review one by one.
  needsConfirmation: (links) => links.length >= MANY || links.some((link) => visitsOf(link) > 0),
  visitsOf,
  visit: 'click',
  visitsInWords: (count) => countOf(count, 'click'),
  consequenceOf: ({ length }) =>
    length === 1
      ? 'The short link stops working, also where it is printed.'
      : 'The short links stop working, also where they are printed.',
  list: 'links',
  noun: { one: 'link', many: 'links' },
  inWords: (count) => countOf(count, 'link'),
  searched: 'titles, short links, destinations, tags and comments',
  sorts: { createdAt: 'Newest', clicks: 'Most clicks', lastClicked: 'Last clicked' },
  filters: [...SHARED_FILTERS, 'clicksMin', 'clicksMax', 'destinationState', 'importId'],
  choices: [
    {
      name: 'destinationState',
      label: 'Destination',
      options: Object.entries(DESTINATION_STATES),
    },
  ],
  visits: { least: 'clicksMin', most: 'clicksMax', label: 'clicks' },
};

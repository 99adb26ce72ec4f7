import type { ReactNode } from 'react';
import { useWorkspace } from '../app/workspace.tsx';
import { COUNTRIES } from '../short-links/traits.ts';
import { classes } from '../ui/classes.ts';
import { inputLook, Options } from '../ui/field.tsx';
import { SearchInput } from '../ui/search-input.tsx';

/** Fields by which customers are sorted, with the labels of their orders on phones. */
const SORTS = {
  createdAt: 'Newest first',
  saleAmount: 'Sort by revenue',
  sales: 'Sort by sales',
  leads: 'Sort by leads',
  lastSeenAt: 'Sort by last seen',
  firstClick: 'Sort by first click',
  country: 'Sort by country',
} as const;

export type Sort = keyof typeof SORTS;

/** Filters and order in the URL of the list. */
export type CustomerSearch = Partial<Record<(typeof FILTERS)[number] | 'sortBy', string>> & {
  sortOrder?: 'asc' | 'desc';
};

/** Names of the filters in the URL. */
export const FILTERS = ['search', 'country', 'revenue', 'seen'] as const;

/** Choices of the filter by the time when customers were last seen: days, with labels. */
const SEEN = [
  ['1', 'Seen in the last 24 hours'],
  ['7', 'Seen in the last 7 days'],
  ['30', 'Seen in the last 30 days'],
  ['90', 'Seen in the last 90 days'],
] as const;

/** Choices of the filter by revenue: US dollars, with labels. */
const REVENUE = [
  ['0.01', 'More than $0'],
  ['10', 'At least $10'],
  ['100', 'At least $100'],
  ['1000', 'At least $1,000'],
  ['10000', 'At least $10,000'],
] as const;

const HOUR_MS = 3_600_000;

/** Converts the search of the URL to the query of the API. */
export function queryOf({
  search,
  country,
  revenue,
  seen,
  sortBy,
  sortOrder,
}: CustomerSearch): Record<string, string> {
  // The start of an hour, so that a query keeps its key while the page is open.
  const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const values = {
    search,
    country,
    sortBy,
    sortOrder,
    minSaleAmount: revenue === undefined ? undefined : String(Math.round(Number(revenue) * 100)),
    seenSince:
      seen === undefined ? undefined : new Date(hour - Number(seen) * 24 * HOUR_MS).toISOString(),
  };
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  onChoose(value: string): void;
  /** True if wider screens have another way to choose. */
  isForPhones?: boolean;
  children: ReactNode;
}

function Choice({ label, value, onChoose, isForPhones = false, children }: ChoiceProps) {
  return (
    <select
      aria-label={label}
      className={classes(inputLook, 'md:w-48', isForPhones && 'md:hidden')}
      value={value}
      onChange={(event) => onChoose(event.target.value)}
    >
      {children}
    </select>
  );
}

/** The search field and the filters of the list. */
export function Filters({
  text,
  setText,
  search,
  change,
}: {
  text: string;
  setText(text: string): void;
  search: CustomerSearch;
  change(changes: CustomerSearch): void;
}) {
  const { slug } = useWorkspace();
  return (
    <div
      role="group"
      aria-label="Filters"
      key={slug}
      className="grid grid-cols-2 gap-2 px-4 pb-3 md:flex md:flex-wrap md:px-6"
    >
      <SearchInput
        aria-label="Search customers"
        placeholder="Name, email or external ID"
        maxLength={100}
        className="max-md:col-span-2 md:w-72"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Choice
        label="Country"
        value={search.country ?? ''}
        onChoose={(country) => change({ country })}
      >
        <option value="">All countries</option>
        <Options of={COUNTRIES} />
        <option value="Unknown">Unknown</option>
      </Choice>
      <Choice
        label="Revenue"
        value={search.revenue ?? ''}
        onChoose={(revenue) => change({ revenue })}
      >
        <option value="">Any revenue</option>
        <Options of={REVENUE} />
      </Choice>
      <Choice label="Last seen" value={search.seen ?? ''} onChoose={(seen) => change({ seen })}>
        <option value="">Seen at any time</option>
        <Options of={SEEN} />
      </Choice>
      <Choice
        label="Order"
        value={search.sortBy ?? 'createdAt'}
        onChoose={(sortBy) => change({ sortBy, sortOrder: 'desc' })}
        isForPhones
      >
        <Options of={Object.entries(SORTS)} />
      </Choice>
    </div>
  );
}

import { useQuery } from '@tanstack/react-query';
import { ListFilter, X } from 'lucide-react';
import { useWorkspace } from '../app/workspace.tsx';
import { buttonLook } from '../ui/button.tsx';
import { inputLook, SelectField } from '../ui/field.tsx';
import { Popover } from '../ui/menu.tsx';
import {
  domainsQuery,
  FILTERS,
  type Filter,
  foldersQuery,
  type LinksSearch,
  tagsQuery,
} from './question.ts';

interface FilterProps {
  search: LinksSearch;
  setSearch(change: LinksSearch): void;
}

/** Filters that ask whether a link has something. */
const FEATURES = {
  hasTags: 'Tags',
  hasPassword: 'Password',
  hasExpiration: 'Expiry',
  hasUTM: 'UTM parameters',
  hasCustomSocial: 'Link preview of its own',
  hasGeo: 'Targets by country',
  hasDevice: 'Targets by device',
  hasComments: 'Comments',
  trackConversion: 'Conversion tracking',
} satisfies Partial<Record<Filter, string>>;

const LABELS: Partial<Record<Filter, string>> = {
  ...FEATURES,
  domain: 'Domain',
  folderId: 'Folder',
  tagIds: 'Tag',
  showArchived: 'Archived links too',
  createdAfter: 'Created from',
  createdBefore: 'Created until',
  clicksMin: 'At least this many clicks',
  clicksMax: 'At most this many clicks',
};

/** True when the list doesn't show all links. */
export const hasFilters = (search: LinksSearch): boolean =>
  FILTERS.some((name) => search[name] !== undefined);

function useChoices() {
  const { api } = useWorkspace();
  const [domains, folders, tags] = [
    useQuery(domainsQuery(api)).data ?? [],
    useQuery(foldersQuery(api)).data ?? [],
    useQuery(tagsQuery(api)).data ?? [],
  ];
  return { domains, folders, tags };
}

/** Opens all filters. */
export function FilterButton({ search, setSearch }: FilterProps) {
  return (
    <Popover
      label="Filters"
      className="w-80 p-3"
      button={{
        className: buttonLook(),
        children: (
          <>
            <ListFilter size={15} aria-hidden />
            Filter
          </>
        ),
      }}
    >
      {() => <FilterForm search={search} setSearch={setSearch} />}
    </Popover>
  );
}

function FilterForm({ search, setSearch }: FilterProps) {
  const { domains, folders, tags } = useChoices();
  const choice = (name: Filter, options: { value: string; label: string }[]) => (
    <SelectField
      label={LABELS[name] ?? name}
      value={search[name] ?? ''}
      onChange={(event) => setSearch({ [name]: event.target.value })}
    >
      <option value="">All</option>
      {options.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </SelectField>
  );
  const entry = (name: Filter, type: 'number' | 'date') => (
    <label className="flex flex-col gap-1">
      <span className="font-medium">{LABELS[name]}</span>
      <input
        type={type}
        min={0}
        value={search[name]?.slice(0, type === 'date' ? 10 : undefined) ?? ''}
        onChange={({ target: { value } }) =>
          setSearch({ [name]: type === 'date' && value !== '' ? `${value}T00:00:00Z` : value })
        }
        className={inputLook}
      />
    </label>
  );
  return (
    <div className="flex flex-col gap-3">
      {choice(
        'tagIds',
        tags.map(({ id, name }) => ({ value: id, label: name })),
      )}
      {choice(
        'folderId',
        folders.map(({ id, name }) => ({ value: id, label: name })),
      )}
      {choice(
        'domain',
        domains.map(({ slug }) => ({ value: slug, label: slug })),
      )}
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          checked={search.showArchived === 'true'}
          onChange={(event) => setSearch({ showArchived: event.target.checked ? 'true' : '' })}
        />
        {LABELS.showArchived}
      </label>
      <div className="grid grid-cols-2 gap-3">
        {entry('createdAfter', 'date')}
        {entry('createdBefore', 'date')}
        {entry('clicksMin', 'number')}
        {entry('clicksMax', 'number')}
      </div>
      <div className="grid grid-cols-2 gap-3">
        {Object.keys(FEATURES).map((name) => (
          <div key={name}>
            {choice(name as Filter, [
              { value: 'true', label: 'With' },
              { value: 'false', label: 'Without' },
            ])}
          </div>
        ))}
      </div>
    </div>
  );
}

/** The filters that are set; each can be taken away. */
export function ActiveFilters({ search, setSearch }: FilterProps) {
  const choices = useChoices();
  const set = FILTERS.filter((name) => name !== 'search' && search[name] !== undefined);
  if (set.length === 0) return null;
  return (
    <ul aria-label="Active filters" className="flex flex-wrap gap-1.5 px-4 pb-2 md:px-6">
      {set.map((name) => (
        <li key={name}>
          <button
            type="button"
            onClick={() => setSearch({ [name]: '' })}
            className="inline-flex h-6 items-center gap-1 rounded-full bg-accent-soft px-2.5 text-xs text-ink hover:bg-hover max-md:h-9"
          >
            {wordOf(name, search[name]!, choices)}
            <X size={12} aria-hidden />
            <span className="sr-only">: remove the filter</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function wordOf(name: Filter, value: string, { tags, folders }: ReturnType<typeof useChoices>) {
  const label = LABELS[name] ?? name;
  if (name === 'showArchived') return label;
  if (name in FEATURES) return value === 'true' ? `With: ${label}` : `Without: ${label}`;
  const named =
    name === 'tagIds'
      ? tags.find(({ id }) => id === value)?.name
      : folders.find(({ id }) => name === 'folderId' && id === value)?.name;
  return `${label}: ${named ?? value.replace(/T00:00:00Z$/, '')}`;
}

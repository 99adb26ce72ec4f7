import { useQuery } from '@tanstack/react-query';
import { ListFilter, X } from 'lucide-react';
import { useWorkspace } from '../app/workspace.tsx';
import { domainsQuery } from '../domains/queries.ts';
import { foldersQuery, tagsQuery } from '../labels/queries.ts';
import { workspaceQuery } from '../settings/queries.ts';
import { inputLook, type OptionList, SelectField } from '../ui/field.tsx';
import { Popover } from '../ui/menu.tsx';
import { FEATURES, type ListKind, type SearchProps } from './list-kind.ts';

/** Times of day that are appended to a date, so that both filters include the chosen day. */
const TIMES: Readonly<Record<string, string>> = {
  createdAfter: 'T00:00:00Z',
  createdBefore: 'T23:59:59Z',
};

/** Labels of all filters of a list. */
const labelsOf = ({ noun, choices, visits }: ListKind): Readonly<Record<string, string>> => ({
  ...FEATURES,
  ...Object.fromEntries(choices.map((choice) => [choice.name, choice.label])),
  domain: 'Domain',
  folderId: 'Folder',
  tagIds: 'Tag',
  showArchived: `Include archived ${noun.many}`,
  createdAfter: 'Created from',
  createdBefore: 'Created to',
  importId: 'From one import',
  [visits.least]: `Minimum ${visits.label}`,
  [visits.most]: `Maximum ${visits.label}`,
});

function useRecords() {
  const { api } = useWorkspace();
  const folders = useQuery(foldersQuery(api)).data ?? [];
  const tags = useQuery(tagsQuery(api)).data ?? [];
  return { folders, tags };
}

/** Domains of the workspace, followed by the default domain of the service. */
function useDomains(): readonly string[] {
  const { api } = useWorkspace();
  const own = useQuery(domainsQuery(api)).data ?? [];
  const shared = useQuery(workspaceQuery(api)).data?.defaultDomain;
  return [...own.map(({ slug }) => slug), ...(shared === undefined ? [] : [shared])];
}

const optionsOf = (records: readonly { id: string; name: string }[]): OptionList =>
  records.map(({ id, name }) => [id, name]);

const WITH_OR_WITHOUT: OptionList = [
  ['true', 'With'],
  ['false', 'Without'],
];

/** A button that opens all filters. */
export function FilterButton(props: SearchProps) {
  return (
    <Popover label="Filters" className="w-80 p-3" button={{ icon: ListFilter, children: 'Filter' }}>
      {() => <FilterForm {...props} />}
    </Popover>
  );
}

function FilterForm({ kind, search, setSearch }: SearchProps) {
  const labels = labelsOf(kind);
  const { folders, tags } = useRecords();
  const domains = useDomains();
  const choice = (name: string, options: OptionList) => (
    <SelectField
      key={name}
      label={labels[name] ?? name}
      value={search[name] ?? ''}
      onChange={(event) => setSearch({ [name]: event.target.value })}
      none="All"
      options={options}
    />
  );
  const entry = (name: string, type: 'number' | 'date') => (
    <label className="flex flex-col gap-1">
      <span className="font-medium">{labels[name]}</span>
      <input
        type={type}
        min={0}
        value={search[name]?.slice(0, type === 'date' ? 10 : undefined) ?? ''}
        onChange={({ target: { value } }) =>
          setSearch({ [name]: type === 'date' && value !== '' ? value + TIMES[name] : value })
        }
        className={inputLook}
      />
    </label>
  );
  return (
    <div className="flex flex-col gap-3">
      {kind.choices.map(({ name, options }) => choice(name, options))}
      {choice('tagIds', optionsOf(tags))}
      {choice('folderId', optionsOf(folders))}
      {choice('domain', optionsOf(domains.map((slug) => ({ id: slug, name: slug }))))}
      <label className="flex items-center gap-2 max-md:min-h-11">
        <input
          type="checkbox"
          checked={search['showArchived'] === 'true'}
          onChange={(event) => setSearch({ showArchived: event.target.checked ? 'true' : '' })}
        />
        {labels['showArchived']}
      </label>
      <div className="grid grid-cols-2 items-end gap-3">
        {entry('createdAfter', 'date')}
        {entry('createdBefore', 'date')}
        {entry(kind.visits.least, 'number')}
        {entry(kind.visits.most, 'number')}
      </div>
      <div className="grid grid-cols-2 items-end gap-3">
        {Object.keys(FEATURES).map((name) => choice(name, WITH_OR_WITHOUT))}
      </div>
    </div>
  );
}

/** The active filters, each with a button that removes it. */
export function ActiveFilters({ kind, search, setSearch }: SearchProps) {
  const records = useRecords();
  const set = kind.filters.filter((name) => name !== 'search' && search[name] !== undefined);
  if (set.length === 0) return null;
  return (
    <ul aria-label="Active filters" className="flex flex-wrap gap-1.5 px-4 pb-2 md:px-6">
      {set.map((name) => (
        <li key={name}>
          <button
            type="button"
            onClick={() => setSearch({ [name]: '' })}
            className="inline-flex h-6 items-center gap-1 rounded-full bg-accent-soft px-2.5 text-xs text-ink hover:bg-hover max-md:h-11"
          >
            {wordOf(kind, name, search[name]!, records)}
            <X size={12} aria-hidden />
            <span className="sr-only">: remove the filter</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function wordOf(
  kind: ListKind,
  name: string,
  value: string,
  { tags, folders }: ReturnType<typeof useRecords>,
): string {
  const label = labelsOf(kind)[name] ?? name;
  if (name === 'showArchived' || name === 'importId') return label;
  if (name in FEATURES) return value === 'true' ? `With: ${label}` : `Without: ${label}`;
  const chosen = kind.choices
    .find((choice) => choice.name === name)
    ?.options.find(([option]) => option === value)?.[1];
  const records = { tagIds: tags, folderId: folders }[name];
  const named = records?.find(({ id }) => id === value)?.name;
  return `${label}: ${chosen ?? named ?? value.replace(/T\d\d:\d\d:\d\dZ$/, '')}`;
}

import { useQuery } from '@tanstack/react-query';
import { ListFilter, X } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { answer } from '../api/client.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { foldersQuery, tagsQuery } from '../short-links/queries.ts';
import { Button, buttonLook, IconButton } from '../ui/button.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { Popover } from '../ui/menu.tsx';
import { nameOfContinent, nameOfCountry } from './names.ts';
import { FILTERS, type Filter } from './question.ts';
import { useQuestion } from './use-question.ts';

const LABELS: Record<Filter, string> = {
  linkId: 'Link',
  qrcodeId: 'QR code',
  pageId: 'Page',
  folderId: 'Folder',
  tagId: 'Tag',
  domain: 'Domain',
  continent: 'Continent',
  country: 'Country',
  city: 'City',
  device: 'Device',
  browser: 'Browser',
  os: 'System',
  referer: 'Referrer',
  url: 'Destination',
  variant: 'Variant',
  utm_source: 'UTM source',
  utm_medium: 'UTM medium',
  utm_campaign: 'UTM campaign',
  utm_term: 'UTM term',
  utm_content: 'UTM content',
};

/** Filters by a part of a text. */
const PARTS: readonly Filter[] = ['referer', 'url'];

/** Hints for the filters that are typed in. */
const TYPED: Partial<Record<Filter, string>> = {
  country: 'A code of two letters, such as DE; several with commas.',
  city: 'Name of a city, such as Berlin.',
  device: 'Desktop, Mobile or Tablet; several with commas.',
  browser: 'Such as Chrome or Firefox; several with commas.',
  os: 'Such as Windows or iOS; several with commas.',
  referer: 'A part of the host that visitors came from.',
  url: 'A part of the destination.',
  utm_source: 'Such as newsletter; case counts.',
  utm_medium: 'Such as email; case counts.',
  utm_campaign: 'Such as spring; case counts.',
  utm_term: 'The whole text; case counts.',
  utm_content: 'The whole text; case counts.',
  domain: 'Domain of the short link.',
};

/** The conditions of the question, and the way to add one. */
export function FilterBar() {
  const { question, change, clearFilters } = useQuestion();
  const used = FILTERS.filter((name) => question[name] !== undefined);
  return (
    <div className="flex flex-wrap items-center gap-1.5" role="group" aria-label="Filters">
      {used.map((name) => (
        <span
          key={name}
          data-filter={name}
          className="flex h-8 max-w-full items-center gap-1 rounded-md border border-line bg-panel pl-2.5 max-md:h-11"
        >
          <span className="text-muted">
            {LABELS[name]} {PARTS.includes(name) ? 'contains' : 'is'}
          </span>
          <span className="truncate font-medium">
            <Value filter={name} value={question[name]!} />
          </span>
          <IconButton
            icon={X}
            label={`Remove the filter ${LABELS[name]}`}
            onClick={() => change({ [name]: undefined })}
          />
        </span>
      ))}
      <AddFilter />
      {used.length > 1 && (
        <Button look="quiet" onClick={clearFilters}>
          Clear all
        </Button>
      )}
    </div>
  );
}

/** A condition's value as people read it. */
function Value({ filter, value }: { filter: Filter; value: string }) {
  const { api } = useWorkspace();
  const isRecord = filter === 'linkId' || filter === 'qrcodeId' || filter === 'pageId';
  const name = useQuery({
    queryKey: ['name of', filter, value],
    queryFn: async ({ signal }) => {
      if (filter === 'pageId') {
        const params = { path: { id: value } };
        return (await answer(api.GET('/pages/{id}', { params, signal }))).title;
      }
      const params = { path: { linkId: value, qrcodeId: value } };
      const call =
        filter === 'linkId'
          ? api.GET('/links/{linkId}', { params, signal })
          : api.GET('/qrcodes/{qrcodeId}', { params, signal });
      const { domain, key } = await answer<Record<'domain' | 'key', string>>(call);
      return `${domain}/${key}`;
    },
    enabled: isRecord,
    retry: false,
    staleTime: 60_000,
  });
  const tags = useQuery({ ...tagsQuery(api), enabled: filter === 'tagId' }).data;
  const folders = useQuery({ ...foldersQuery(api), enabled: filter === 'folderId' }).data;
  const values = value.split(',');
  if (filter === 'country') return values.map(nameOfCountry).join(' or ');
  if (filter === 'continent') return values.map(nameOfContinent).join(' or ');
  if (filter === 'tagId' || filter === 'folderId') {
    const known: readonly { id: string; name: string }[] | undefined =
      filter === 'tagId' ? tags : folders;
    return values.map((id) => known?.find((one) => one.id === id)?.name ?? id).join(' or ');
  }
  if (isRecord) return name.data ?? value;
  return filter === 'device' || filter === 'browser' || filter === 'os'
    ? values.join(' or ')
    : value;
}

function AddFilter() {
  return (
    <Popover
      label="Add a filter"
      className="w-72 max-w-[calc(100vw-12px)]"
      button={{
        className: buttonLook('plain'),
        children: (
          <>
            <ListFilter size={15} aria-hidden />
            Filter
          </>
        ),
      }}
    >
      {(close) => <FilterForm close={close} />}
    </Popover>
  );
}

function FilterForm({ close }: { close(): void }) {
  const { change } = useQuestion();
  const [filter, setFilter] = useState<Filter>('country');
  const [value, setValue] = useState('');
  const add = (event: FormEvent) => {
    event.preventDefault();
    const text = value.trim();
    if (text === '') return;
    close();
    setValue('');
    change({ [filter]: filter === 'country' ? text.toUpperCase() : text });
  };
  return (
    <form onSubmit={add} className="flex flex-col gap-2 p-2">
      <SelectField
        label="Only events whose"
        value={filter}
        onChange={({ target }) => setFilter(target.value as Filter)}
      >
        {(Object.keys(TYPED) as Filter[]).map((name) => (
          <option key={name} value={name}>
            {LABELS[name].toLowerCase()}
          </option>
        ))}
      </SelectField>
      <TextField
        label={PARTS.includes(filter) ? 'contains' : 'is'}
        hint={TYPED[filter]}
        value={value}
        onChange={({ target }) => setValue(target.value)}
      />
      <Button type="submit" look="primary">
        Add the filter
      </Button>
      <p className="text-xs text-muted">
        Or click on any link, country, browser … of the page to filter by it.
      </p>
    </form>
  );
}

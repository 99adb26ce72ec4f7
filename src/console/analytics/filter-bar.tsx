import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { answer } from '../api/client.ts';
import { keys, type Noun } from '../api/keys.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { foldersQuery, tagsQuery } from '../labels/queries.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { FILTER_LIST, type Filter, isPartial, nameOfFilter } from './event-query.ts';
import { FilterMenu } from './filter-menu.tsx';
import { IgnoredNotice } from './ignored-notice.tsx';
import { nameOfContinent, nameOfCountry, nameOfSource, nameOfTraffic } from './names.ts';
import { useEventQuery } from './use-event-query.ts';

/** The active filters, and a menu that adds more. */
export function FilterBar() {
  const { query, change, clearFilters } = useEventQuery();
  const used = FILTER_LIST.filter((name) => query[name] !== undefined);
  return (
    <div className="flex flex-wrap items-center gap-1.5" role="group" aria-label="Filters">
      {used.map((name) => (
        <span
          key={name}
          data-filter={name}
          className="flex h-8 max-w-full items-center gap-1 rounded-md border border-line bg-panel pl-2.5 max-md:h-11"
        >
          <span className="text-muted">
            {nameOfFilter(name)} {isPartial(name) ? 'contains' : 'is'}
          </span>
          <span className="truncate font-medium">
            <Value filter={name} value={query[name]!} />
          </span>
          <IconButton
            icon={X}
            label={`Remove filter: ${nameOfFilter(name)}`}
            onClick={() => change({ [name]: undefined })}
          />
        </span>
      ))}
      <FilterMenu />
      {used.length > 1 && (
        <Button look="quiet" onClick={clearFilters}>
          Clear all
        </Button>
      )}
      <IgnoredNotice />
    </div>
  );
}

/** Nouns of the records that filters identify by id. */
const RECORDS: Readonly<Partial<Record<Filter, Noun>>> = {
  linkId: 'links',
  qrcodeId: 'qrcodes',
  pageId: 'pages',
};

/** The value of a filter, readable for people. */
function Value({ filter, value }: { filter: Filter; value: string }) {
  const { api } = useWorkspace();
  const noun = RECORDS[filter];
  const name = useQuery({
    queryKey: keys[noun ?? 'links'].one(value, 'name'),
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
    enabled: noun !== undefined,
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
  if (noun !== undefined) return name.data ?? value;
  if (filter === 'traffic') return nameOfTraffic(value);
  if (filter === 'source') return values.map(nameOfSource).join(' or ');
  return filter === 'device' || filter === 'browser' || filter === 'os'
    ? values.join(' or ')
    : value;
}

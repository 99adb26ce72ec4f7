import { useQuery } from '@tanstack/react-query';
import { answer } from '../api/client.ts';
import { keys, type Noun } from '../api/keys.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { foldersQuery, tagsQuery } from '../labels/queries.ts';
import { either } from '../short-links/routing-sentences.ts';
import { type Filter, valuesOf } from './event-query.ts';
import {
  nameOfContinent,
  nameOfCountry,
  nameOfDevice,
  nameOfSource,
  nameOfTraffic,
} from './names.ts';
import { useEventQuery } from './use-event-query.ts';

/** Nouns of the records that filters identify by id. */
const RECORDS: Readonly<Partial<Record<Filter, Noun>>> = {
  linkId: 'links',
  qrcodeId: 'qrcodes',
  pageId: 'pages',
};

/** Names of the values that are not ids; other values are their own names. */
const NAMES: Readonly<Partial<Record<Filter, (value: string) => string>>> = {
  country: nameOfCountry,
  continent: nameOfContinent,
  device: nameOfDevice,
  source: nameOfSource,
  traffic: nameOfTraffic,
};

/**
 * Returns the values of a filter as people read them.
 *
 * @param text the values as in the URL; absent for no filter
 */
export function useValueNames(filter: Filter, text: string | undefined): string {
  const { api } = useWorkspace();
  const values = valuesOf(text);
  const noun = RECORDS[filter];
  const records = useQuery({
    queryKey: keys[noun ?? 'links'].list('names', text),
    queryFn: ({ signal }) =>
      Promise.all(
        values.map(async (id) => {
          if (filter === 'pageId') {
            const params = { path: { id } };
            return (await answer(api.GET('/pages/{id}', { params, signal }))).title;
          }
          const params = { path: { linkId: id, qrcodeId: id } };
          const call =
            filter === 'linkId'
              ? api.GET('/links/{linkId}', { params, signal })
              : api.GET('/qrcodes/{qrcodeId}', { params, signal });
          const { domain, key } = await answer<Record<'domain' | 'key', string>>(call);
          return `${domain}/${key}`;
        }),
      ),
    enabled: noun !== undefined && text !== undefined,
    retry: false,
    staleTime: 60_000,
  });
  const isUsed = text !== undefined;
  const tags = useQuery({ ...tagsQuery(api), enabled: isUsed && filter === 'tagId' }).data;
  const folders = useQuery({ ...foldersQuery(api), enabled: isUsed && filter === 'folderId' }).data;
  const labels: readonly { id: string; name: string }[] | undefined =
    filter === 'tagId' ? tags : filter === 'folderId' ? folders : undefined;
  const nameOf =
    NAMES[filter] ?? ((value: string) => labels?.find(({ id }) => id === value)?.name ?? value);
  return either(noun === undefined ? values.map(nameOf) : (records.data ?? values));
}

/** Returns the label of what the numbers in the URL are compared with. */
export function useComparisonName(): string {
  const { query } = useEventQuery();
  const { compare, against } = query;
  const filter = against === undefined ? undefined : (compare as Filter);
  const name = useValueNames(filter ?? 'country', against);
  if (filter !== undefined) return name;
  return compare === 'year' ? 'A year earlier' : 'Previous period';
}

/** Returns the values that are compared with others; empty for a comparison with a period. */
export function useComparedValue(): string {
  const { query } = useEventQuery();
  const filter = query.against === undefined ? 'country' : (query.compare as Filter);
  return useValueNames(filter, query.against === undefined ? undefined : query[filter]);
}

import { useQuery } from '@tanstack/react-query';
import { useWorkspace } from '../app/workspace.tsx';
import { domainsQuery } from '../domains/queries.ts';
import { foldersQuery, tagsQuery } from '../labels/queries.ts';
import { entriesOf } from './breakdown-list.tsx';
import { tabNamed } from './cards.ts';
import { type EventQuery, type Filter, kindOf, type Metric, textOf } from './event-query.ts';
import { nameOfTraffic, TRAFFIC } from './names.ts';
import { measureOf, type Row, useAnalytics } from './queries.ts';

/** Filters of the menu in order; most take their values from a tab of the cards. */
const TABS = {
  tagId: 'tags',
  folderId: 'folders',
  linkId: 'links',
  qrcodeId: 'qrcodes',
  pageId: 'pages',
  domain: undefined,
  country: 'countries',
  city: 'cities',
  continent: 'continents',
  device: 'devices',
  browser: 'browsers',
  os: 'os',
  source: 'sources',
  referer: 'referers',
  url: 'top_urls',
  utm_source: 'utm_source',
  utm_medium: 'utm_medium',
  utm_campaign: 'utm_campaign',
  utm_term: 'utm_term',
  utm_content: 'utm_content',
  traffic: undefined,
} as const satisfies Partial<Record<Filter, string | undefined>>;
export type OfferedFilter = keyof typeof TABS;
export const OFFERED = Object.keys(TABS) as OfferedFilter[];

/** The only kind of visit with values for the filter; other kinds would return none. */
const VISITS: Partial<Record<Filter, Metric>> = {
  linkId: 'clicks',
  qrcodeId: 'scans',
  pageId: 'views',
};

/** A selectable value of a filter. */
export interface Choice {
  key: string;
  name: string;
  /** Additional text beside the name. */
  hint: string;
  /** Number of events; absent if the value was not counted. */
  count?: number;
  /** Changes that the value makes to the query. */
  change: Partial<EventQuery>;
}

/**
 * Returns the kind of events for which a filter's values are counted: the page's, if its records
 * have the values.
 */
export function metricFor(filter: Filter, metric: Metric = 'clicks'): Metric {
  const visit = VISITS[filter];
  const isVisit = Object.values(VISITS).includes(metric);
  return visit !== undefined && isVisit ? visit : metric;
}

/** Loads the values of a filter; `undefined` while they load. */
export function useChoices(filter: OfferedFilter, query: EventQuery): Choice[] | undefined {
  const { api } = useWorkspace();
  const tab = tabNamed(TABS[filter]);
  const event = metricFor(filter, query.event);
  // Without the filter itself, the response also lists the values that it excludes.
  const { [filter]: _, ...others } = query;
  const rows = useAnalytics(
    tab?.group ?? 'countries',
    { ...others, event },
    { enabled: tab !== undefined },
  );
  const tags = useQuery({ ...tagsQuery(api), enabled: filter === 'tagId' });
  const folders = useQuery({ ...foldersQuery(api), enabled: filter === 'folderId' });
  const domains = useDomains(filter === 'domain');
  if (filter === 'traffic') {
    return TRAFFIC.map((value) => choiceOf(filter, value, nameOfTraffic(value)));
  }
  if (filter === 'domain') return domains?.map((name) => choiceOf(filter, name, name));
  if (tab === undefined || rows.data === undefined || rows.isPlaceholderData) return undefined;
  const isOther = kindOf(event) !== kindOf(query.event);
  const choices = entriesOf(tab, rows.data as readonly Row[], measureOf(event)).flatMap(
    ({ key, name, hint, value, filter: filters }) =>
      filters === undefined
        ? []
        : [{ key, name, hint, count: value, change: isOther ? { ...filters, event } : filters }],
  );
  if (filter !== 'tagId' && filter !== 'folderId') return choices;
  // Tags and folders without events can be chosen too.
  const labels: readonly { id: string; name: string }[] | undefined =
    filter === 'tagId' ? tags.data : folders.data;
  const counted = new Set(choices.map(({ change }) => change[filter]));
  return (
    labels && [
      ...choices,
      ...labels
        .filter(({ id }) => !counted.has(id))
        .map(({ id, name }) => ({ ...choiceOf(filter, id, name), count: 0 })),
    ]
  );
}

const choiceOf = (filter: Filter, value: string, name: string): Choice => ({
  key: value,
  name,
  hint: '',
  change: { [filter]: textOf([value]) },
});

/** Loads the workspace's domains, and further domains of its links and codes. */
function useDomains(enabled: boolean): string[] | undefined {
  const { api } = useWorkspace();
  const own = useQuery({ ...domainsQuery(api), enabled });
  const all = { interval: 'all' } as const;
  const links = useAnalytics('top_links', { ...all, event: 'clicks' }, { enabled });
  const codes = useAnalytics('top_qrcodes', { ...all, event: 'scans' }, { enabled });
  if (own.data === undefined || links.data === undefined || codes.data === undefined) {
    return undefined;
  }
  const used = [...links.data, ...codes.data].map(({ domain }) => String(domain));
  return [...new Set([...own.data.map(({ slug }) => slug), ...used])].toSorted();
}

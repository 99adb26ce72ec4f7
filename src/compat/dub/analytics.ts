import { config } from '../../config.ts';
import { Refusal } from '../../errors.ts';
import type { OperationId } from '../../http/route.ts';
import { ok } from '../../http/route.ts';
import { type Call, type CallQuery, lastValue, omit, type PeerRoute } from '../peer.ts';
import { filterOf, fromDubQuery, withoutFilter } from './event-query.ts';

type Row = Record<string, unknown>;

/** Groups with other names at Dub, and the conversion of their rows. */
const GROUPS: Readonly<Record<string, { ours: string; toRows(rows: Row[]): Row[] }>> = {
  continents: {
    ours: 'continents',
    toRows: (rows) => rows.filter(({ continent }) => continent !== ''),
  },
  countries: {
    ours: 'countries',
    toRows: (rows) => rows.map(({ continent: _, ...row }) => ({ ...row, region: '*', city: '*' })),
  },
  regions: { ours: 'region', toRows: (rows) => rows.map((row) => ({ ...row, city: '*' })) },
  cities: { ours: 'cities', toRows: (rows) => rows },
  referers: {
    ours: 'referers',
    toRows: (rows) =>
      sumOf(rows.map((row) => ({ ...row, referer: withoutWww(String(row['referer'])) }))),
  },
  top_links: {
    ours: 'top_links',
    toRows: (rows) => rows.map((row) => ({ ...row, createdAt: row['createdAt'] ?? '' })),
  },
  top_base_urls: { ours: 'top_urls', toRows: (rows) => rows },
};

/** A group by records, whose rows are counts of events with a filter. */
interface RecordGroup {
  /** Operation that lists the records, the size of its pages, and further parameters. */
  list: OperationId;
  pageSize: number;
  query?: CallQuery;
  /** Records that the list does not have. */
  unlisted?: () => Row[];
  /** Filter of events, and the field of records with its value. */
  filter: string;
  field: string;
  toRow(record: Row): Row;
}

const RECORD_GROUPS: Readonly<Record<string, RecordGroup>> = {
  top_folders: {
    list: 'listFolders',
    pageSize: 100,
    filter: 'folderId',
    field: 'id',
    toRow: ({ id, name }) => ({ folderId: id, folder: { id, name } }),
  },
  top_link_tags: {
    list: 'listTags',
    pageSize: 100,
    filter: 'tagId',
    field: 'id',
    toRow: ({ id, name, color }) => ({ tagId: id, tag: { id, name, color } }),
  },
  top_domains: {
    list: 'listDomains',
    pageSize: 50,
    query: { archived: 'true' },
    unlisted: () => [{ slug: config().DEFAULT_SHORT_DOMAIN }],
    filter: 'domain',
    field: 'slug',
    toRow: ({ slug }) => ({ domain: slug }),
  },
};

/** Ways to open short links, with the same names at Dub. */
const TRIGGERS = ['link', 'qr'] as const;

/** Numbers of rows. */
const NUMBERS = ['clicks', 'leads', 'sales', 'saleAmount'] as const;
/** Numbers of rows about one kind of event. */
const NUMBERS_OF: Readonly<Record<string, readonly (typeof NUMBERS)[number][]>> = {
  clicks: ['clicks'],
  leads: ['leads'],
  sales: ['sales', 'saleAmount'],
};

export const analyticsRoutes: PeerRoute[] = [
  {
    method: 'get',
    path: '/analytics',
    operation: 'retrieveAnalytics',
    async answer({ query: dubQuery }, call) {
      const query = fromDubQuery(dubQuery);
      const groupBy = lastValue(query, 'groupBy') ?? 'count';
      const rows = await readGroup(call, groupBy, omit(query, ['groupBy']));
      if (groupBy === 'count') return ok(rows[0]);
      return ok(groupBy === 'timeseries' ? rows : rows.filter(hasEvents));
    },
  },
];

/** Reads the rows of one of Dub's groups; `count` has one row. */
async function readGroup(call: Call, groupBy: string, query: CallQuery): Promise<Row[]> {
  if (groupBy === 'trigger' || groupBy === 'triggers') return byTrigger(call, query);
  if (Object.hasOwn(RECORD_GROUPS, groupBy)) return byRecord(call, RECORD_GROUPS[groupBy]!, query);
  const group = Object.hasOwn(GROUPS, groupBy) ? GROUPS[groupBy] : undefined;
  const translated = { ...query, groupBy: group?.ours ?? groupBy };
  const { body } = await call<Row | Row[]>('retrieveAnalytics', { query: translated });
  if (!Array.isArray(body)) return [totalsOf(body)];
  // Dub has no number of visitors.
  const rows = body.map((row) => omit(row, ['visitors']));
  return group === undefined ? rows : group.toRows(rows);
}

const totalsOf = (row: Row, names: readonly string[] = NUMBERS): Row =>
  Object.fromEntries(names.map((name) => [name, row[name]]));

const hasEvents = (row: Row): boolean => NUMBERS.some((name) => Number(row[name] ?? 0) !== 0);

/** The values of a row that are no numbers, as a text. */
const groupOf = (row: Row): string => JSON.stringify(omit(row, NUMBERS));

/** Adds up the rows of the same group. */
function sumOf(rows: readonly Row[]): Row[] {
  const sums = new Map<string, Row>();
  for (const row of rows) {
    const sum = sums.get(groupOf(row));
    sums.set(groupOf(row), sum === undefined ? row : combined(sum, row));
  }
  return [...sums.values()];
}

/** Adds the numbers of a row to another. */
const combined = (row: Row, other: Row): Row => ({
  ...row,
  ...Object.fromEntries(
    NUMBERS.filter((name) => row[name] !== undefined).map((name) => [
      name,
      Number(row[name]) + Number(other[name] ?? 0),
    ]),
  ),
});

/** Returns true if a filter selects a value. */
const isSelected = (filter: ReturnType<typeof filterOf>, value: string): boolean =>
  filter === undefined || filter.values.includes(value) !== filter.isExcluded;

/** Counts by the way in which short links were opened. */
async function byTrigger(call: Call, query: CallQuery): Promise<Row[]> {
  const types = filterOf(query, 'types');
  const rows: Row[] = [];
  for (const trigger of TRIGGERS) {
    if (!isSelected(types, trigger)) continue;
    const counted = { ...withoutFilter(query, 'types'), type: trigger, groupBy: 'count' };
    const { body } = await call<Row>('retrieveAnalytics', { query: counted });
    rows.push({ trigger, ...totalsOf(body) });
  }
  return rows.filter(hasEvents);
}

/**
 * Counts by folder, tag or domain, most events first.
 *
 * @throws Refusal `unprocessable_entity` for more records than a page of this API has
 */
async function byRecord(call: Call, group: RecordGroup, query: CallQuery): Promise<Row[]> {
  const { list, pageSize, filter, field } = group;
  const page = { ...group.query, pageSize: String(pageSize) };
  const { body: records } = await call<Row[]>(list, { query: page });
  if (records.length === pageSize) {
    throw new Refusal(
      'unprocessable_entity',
      `groupBy must not be top_folders, top_link_tags or top_domains for ${pageSize} records or more: set ${filter}`,
    );
  }
  const requested = filterOf(query, filter);
  const event = lastValue(query, 'event') ?? 'clicks';
  const numbers = Object.hasOwn(NUMBERS_OF, event) ? NUMBERS_OF[event]! : NUMBERS;
  const rows: Row[] = [];
  for (const record of [...records, ...(group.unlisted?.() ?? [])]) {
    const value = String(record[field]);
    if (!isSelected(requested, value)) continue;
    const counted = { ...withoutFilter(query, filter), [filter]: value, groupBy: 'count' };
    const { body } = await call<Row>('retrieveAnalytics', { query: counted });
    rows.push({ ...group.toRow(record), ...totalsOf(body, numbers) });
  }
  const eventsOf = (row: Row) => Number(row[numbers[0]!]);
  return rows.filter(hasEvents).toSorted((a, b) => eventsOf(b) - eventsOf(a));
}

/** Removes `www.` from the host of a referrer, which Dub stores without it. */
export const withoutWww = (host: string): string => host.replace(/^www\./, '');

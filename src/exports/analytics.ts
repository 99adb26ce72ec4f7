import type { Schema } from 'joi';
import { type EventParameter, kindsOf } from '../events/kinds.ts';
import { type FilterQuery, filterSchemas } from '../events/query/filters.ts';
import type { Group } from '../events/query/groups/group.ts';
import { GROUPS } from '../events/query/groups/index.ts';
import { numberNames, numberSchemas } from '../events/query/numbers.ts';
import type { RecordNames } from '../events/records.ts';
import type { Span } from '../events/span.ts';
import type { CountQuery } from '../events/store/store.ts';
import { BOM, csvLines } from '../infra/csv.ts';
import { dayOf, localTime } from '../infra/time-zones.ts';
import { zipEnd, zipEntry } from './qrcodes/zip.ts';

/** Groups with a file: all that list rows, under the first of their names. */
const FILES = Object.entries<Group>(GROUPS).filter(
  ([, group], index, all) =>
    group.answer.type === 'array' && all.findIndex(([, other]) => other === group) === index,
);

/** Selection of the exported analytics. */
export interface AnalyticsExport {
  workspace: string;
  projectId: string;
  span: Span;
  filter: CountQuery['filter'];
  /** Events to count; each group has its default without them. */
  event: EventParameter | undefined;
  /** Filters of the request, which the file describes. */
  query: FilterQuery;
}

/** A file of the ZIP file. */
type File = readonly [name: string, text: string];

/**
 * Builds a ZIP file with the analytics of a period: a description, the totals, the time series and
 * a CSV file for each dimension. Groups are counted one after the other. The file is complete before
 * the first byte is sent, so that the limits of heavy requests hold for all of its queries; the
 * groups have a limited number of rows.
 */
export async function exportAnalytics(
  selection: AnalyticsExport,
  names: RecordNames,
): Promise<Buffer> {
  const entries: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  const time = new Date();
  let at = 0;
  for await (const [name, text] of filesOf(selection, names)) {
    const packed = zipEntry(name, Buffer.from(text), { at, format: 'csv', time });
    directory.push(packed.directory);
    at += packed.entry.length;
    entries.push(packed.entry);
  }
  const rows = Buffer.concat(directory);
  const end = zipEnd({ size: rows.length, at, rows: directory.length });
  return Buffer.concat([...entries, rows, end]);
}

async function* filesOf(
  selection: AnalyticsExport,
  names: RecordNames,
): AsyncGenerator<File, void, undefined> {
  yield ['README.txt', description(selection)];
  yield ['totals.csv', await totals(selection, names)];
  for (const [name, group] of FILES) yield [`${name}.csv`, await rowsOf(group, selection, names)];
}

const queryOf = (
  { projectId, span, filter, event }: AnalyticsExport,
  otherwise: EventParameter = 'clicks',
): CountQuery => ({ projectId, span, filter, events: kindsOf(event ?? otherwise) });

async function totals(selection: AnalyticsExport, names: RecordNames): Promise<string> {
  const kpis = (await GROUPS.kpis.read(queryOf(selection), names)) as Record<
    string,
    { value: number; previous: number; change: number | null }
  >;
  return csvOf([
    ['number', 'value', 'previous', 'change'],
    ...Object.entries(kpis).map(([name, { value, previous, change }]) => [
      name,
      value,
      previous,
      change ?? '',
    ]),
  ]);
}

async function rowsOf(
  { answer, defaultEvent, read }: Group,
  selection: AnalyticsExport,
  names: RecordNames,
): Promise<string> {
  const query = queryOf(selection, defaultEvent);
  const rows = (await read(query, names)) as Record<string, string | number | null>[];
  const counted = numberNames(query.events);
  const columns = fieldsOf(answer).filter(
    (field) => !(field in numberSchemas) || counted.includes(field),
  );
  return csvOf([columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))]);
}

/** Lists the fields of the rows of an answer. */
const fieldsOf = (answer: Schema): string[] =>
  Object.keys((answer.describe() as { items: { keys: object }[] }).items[0]!.keys);

const csvOf = (rows: (string | number)[][]): string => BOM + csvLines(rows);

/** Describes what the files are about. */
function description({ workspace, span, event, query }: AnalyticsExport): string {
  const { start, end, timezone, granularity } = span;
  const excluded: readonly string[] = query.exclude ?? [];
  const filters = Object.keys(filterSchemas).flatMap((name) => {
    const value = query[name as keyof FilterQuery];
    if (value === undefined || name === 'exclude') return [];
    const verb = excluded.includes(name) ? 'is not' : 'is';
    return [`  ${name} ${verb} ${[value].flat().join(' or ')}`];
  });
  return [
    `Analytics of ${workspace}`,
    '',
    `Start: ${start.toISOString()}`,
    `End: ${end.toISOString()} (excluded)`,
    `Time zone: ${timezone}`,
    `Steps of the time series: ${granularity}`,
    `Events: ${event ?? 'clicks; scans of QR codes and views of pages in their files'}`,
    ...(filters.length === 0 ? ['Filters: none'] : ['Filters:', ...filters]),
    '',
    'totals.csv compares with the period of the same length before. Amounts are in US cents.',
    'The other files are named after the values of groupBy in GET /analytics.',
    '',
  ].join('\r\n');
}

/** Names the file after the days that a span touches. */
export function fileNameOf({ start, end, timezone }: Span): string {
  const day = (time: number) =>
    new Date(dayOf(localTime(time, timezone))).toISOString().slice(0, 10);
  const [first, last] = [day(start.getTime()), day(Math.max(start.getTime(), end.getTime() - 1))];
  return first === last ? `analytics-${first}` : `analytics-${first}-${last}`;
}

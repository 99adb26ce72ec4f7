import { copyInto } from '../../../infra/copy.ts';
import type { Db } from '../../../infra/db.ts';
import { type DimensionName, dimensionOf, pageOf } from '../../dimensions.ts';
import type { EventRow } from '../../event.ts';
import { UTM_FIELDS, utmText } from '../../utm.ts';
import { isFineIn, namesOf, type Scope } from './rollups.ts';
import { type ValueIds, valueIds, WantedValues } from './values.ts';

/*
 * Additions to rollups. A batch of events adds one row for each owner, kind, day and dimension, with the counts of all
 * values in arrays. Rows are only ever added, so that transactions never wait for each other; `mergeDeltas` takes them
 * into the rollups later. Questions read both.
 */

/** An event that is counted, or taken out of the counts. */
export type CountedEvent = Omit<EventRow, 'occurred_at'> & { occurred_at: string | Date };

const QUARTER_MS = 15 * 60_000;
/** Quarters of an hour of a day. */
const QUARTERS = 96;
const DAY_MS = QUARTERS * QUARTER_MS;
/** Largest bigint of Postgres. */
const LARGEST = 2n ** 63n - 1n;

/** The one value of the dimension that all events have. */
const ONLY: ReadonlyMap<string, number> = new Map([['', 0]]);

interface Count {
  count: number;
  /** In US cents. */
  amount: bigint;
}

/** Counts of one dimension by its values. */
type Counts = Map<string, Count>;

/** Counts of one owner and kind of event on one day. */
interface Day {
  projectId: string;
  owner: string;
  event: string;
  /** Days since 1970. */
  day: number;
  /** By dimension; none of those that are counted by quarters. */
  counts: Counts[];
  /** By quarter, then by dimension. */
  quarters: Map<number, Counts[]>;
}

/** Reads the value of a dimension of an event; `undefined` where it has none. */
type ReadValue = (event: CountedEvent) => string | undefined;

interface DimensionOfScope {
  name: DimensionName;
  isFine: boolean;
  read: ReadValue;
}

const DIMENSIONS_OF: Record<Scope, readonly DimensionOfScope[]> = {
  domain: dimensionsOf('domain'),
  record: dimensionsOf('record'),
};

function dimensionsOf(scope: Scope): DimensionOfScope[] {
  return namesOf(scope).map((name) => ({
    name,
    isFine: isFineIn(scope, name),
    read: readerOf(name),
  }));
}

/** As `valueSql` reads it in the database. */
function readerOf(name: DimensionName): ReadValue {
  const { columns, isUtm, isPage } = dimensionOf(name);
  if (isUtm) return ({ url }) => utmValue(url);
  if (isPage) return ({ url }) => pageOf(url);
  const [first] = columns;
  if (first === undefined) return () => '';
  const textOf = (event: CountedEvent, column: typeof first) => event[column] as string | null;
  if (columns.length === 1) return (event) => textOf(event, first) ?? undefined;
  return (event) => {
    const values = columns.map((column) => textOf(event, column));
    return values.includes(null) ? undefined : values.join('\t');
  };
}

function utmValue(url: string): string | undefined {
  if (!url.includes('utm_')) return undefined;
  const texts = UTM_FIELDS.map((name) => utmText(url, name) ?? '');
  return texts.some((text) => text !== '') ? texts.join('\t') : undefined;
}

/**
 * Adds events to the rollups of their domains or records.
 *
 * @param sign -1 takes them out
 * @param values where values that are new are added; see `valueIds`
 */
export async function addDeltas(
  trx: Db,
  scope: Scope,
  events: readonly CountedEvent[],
  { sign = 1, values = trx }: { sign?: 1 | -1; values?: Db } = {},
): Promise<void> {
  if (events.length === 0) return;
  const days = countDays(scope, events);
  const wanted = new WantedValues();
  for (const day of days) want(wanted, scope, day);
  // Filters find the whole destinations that contain a text.
  if (scope === 'domain') {
    for (const { project_id, url } of events) wanted.add(project_id, 'destination', [url]);
  }
  const idsOf = await valueIds(values, wanted);
  const rows = days.flatMap((day) => rowsOf(scope, day, idsOf, sign));
  await copyInto(trx, 'rollup_deltas', COLUMNS, rows);
}

const COLUMNS = [
  'project_id',
  'is_record',
  'owner',
  'dimension',
  'event',
  'bucket',
  'ids',
  'counts',
  'amounts',
];

function countDays(scope: Scope, events: readonly CountedEvent[]): Day[] {
  const dimensions = DIMENSIONS_OF[scope];
  const days = new Map<string, Day>();
  const noCounts = () => dimensions.map((): Counts => new Map());
  for (const event of events) {
    const owner = scope === 'domain' ? event.domain : event.link_id!;
    const quarter = Math.floor(new Date(event.occurred_at).getTime() / QUARTER_MS);
    const day = Math.floor(quarter / QUARTERS);
    const name = `${event.project_id}\n${event.event}\n${day}\n${owner}`;
    let group = days.get(name);
    if (group === undefined) {
      const { project_id: projectId } = event;
      const empty = { counts: noCounts(), quarters: new Map<number, Counts[]>() };
      group = { projectId, owner, event: event.event, day, ...empty };
      days.set(name, group);
    }
    const slot = quarter - day * QUARTERS;
    let fine = group.quarters.get(slot);
    if (fine === undefined) {
      fine = noCounts();
      group.quarters.set(slot, fine);
    }
    const { amount_cents: cents } = event;
    for (const [at, { isFine, read }] of dimensions.entries()) {
      const value = read(event);
      if (value === undefined) continue;
      const counts = (isFine ? fine : group.counts)[at]!;
      let sum = counts.get(value);
      if (sum === undefined) {
        sum = { count: 0, amount: 0n };
        counts.set(value, sum);
      }
      sum.count += 1;
      if (cents !== null) sum.amount += BigInt(cents);
    }
  }
  return [...days.values()];
}

function want(wanted: WantedValues, scope: Scope, { projectId, counts, quarters }: Day): void {
  for (const [at, { name, isFine }] of DIMENSIONS_OF[scope].entries()) {
    if (name === 'all') continue;
    if (!isFine) wanted.add(projectId, name, counts[at]!.keys());
    else for (const fine of quarters.values()) wanted.add(projectId, name, fine[at]!.keys());
  }
}

function rowsOf(scope: Scope, day: Day, idsOf: ValueIds, sign: 1 | -1) {
  const { projectId, owner, event, counts, quarters } = day;
  const bucket = new Date(day.day * DAY_MS).toISOString();
  return DIMENSIONS_OF[scope].flatMap(({ name, isFine }, at) => {
    const entries: [id: number, sum: Count][] = [];
    const ids = name === 'all' ? ONLY : idsOf(projectId, name);
    if (isFine) {
      for (const [slot, fine] of quarters) {
        for (const [value, sum] of fine[at]!) {
          entries.push([ids.get(value)! * QUARTERS + slot, sum]);
        }
      }
    } else {
      for (const [value, sum] of counts[at]!) entries.push([ids.get(value)!, sum]);
    }
    if (entries.length === 0) return [];
    entries.sort(([a], [b]) => a - b);
    const amounts = entries.map(([, { amount }]) => amount);
    return [
      [
        projectId,
        scope === 'record',
        owner,
        name,
        event,
        bucket,
        entries.map(([id]) => id),
        entries.map(([, { count }]) => sign * count),
        amounts.some((amount) => amount > 0n)
          ? amounts.map((amount) => BigInt(sign) * (amount < LARGEST ? amount : LARGEST))
          : null,
      ],
    ];
  });
}

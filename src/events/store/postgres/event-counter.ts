import type { CopiedRow } from '../../../infra/copy.ts';
import { DIMENSION_NAMES, type DimensionName, dimensionOf, pageOf } from '../../dimensions.ts';
import type { EventRow } from '../../event.ts';
import type { StoredKind } from '../../kinds.ts';
import { UTM_FIELDS, utmText } from '../../utm.ts';
import { Counts } from './counts.ts';
import { QUARTERS } from './quarters.ts';
import type { RequestedValues, ValueIds } from './values.ts';

/** Owner of kept counts: a domain, or a single link or QR code. */
export type Scope = 'domain' | 'record';

/** The dimensions of which counts are stored. */
export const COUNTED_DIMENSIONS = DIMENSION_NAMES.filter((name) => {
  const { isRaw, storedAs } = dimensionOf(name);
  return isRaw !== true && storedAs === undefined;
});

/**
 * Returns true if kept days are also counted by quarter-hour. For single records only the number of
 * events is: on most days a record has few events, and all their values would be stored twice.
 */
export const isFineIn = (scope: Scope, name: DimensionName): boolean =>
  scope === 'domain' || name === 'all';

/** Columns of an event, besides its time, that counts depend on. */
export const COUNTED_COLUMNS = [
  'event',
  'domain',
  'link_id',
  'url',
  'country',
  'region',
  'city',
  'device',
  'browser',
  'os',
  'referer',
  'referer_url',
  'page_id',
  'variant',
  'event_name',
  'amount_cents',
  'visitor',
] as const satisfies readonly (keyof EventRow)[];

/** An event that is counted. */
export type CountedEvent = Pick<EventRow, (typeof COUNTED_COLUMNS)[number]>;

/** Reads {@link COUNTED_COLUMNS} after the first column of a row. */
export function eventOf(row: CopiedRow): CountedEvent {
  const cents = row[16]!;
  return {
    event: row[1] as StoredKind,
    domain: row[2]!,
    link_id: row[3]!,
    url: row[4]!,
    country: row[5]!,
    region: row[6]!,
    city: row[7]!,
    device: row[8]!,
    browser: row[9]!,
    os: row[10]!,
    referer: row[11]!,
    referer_url: row[12]!,
    page_id: row[13]!,
    variant: row[14]!,
    event_name: row[15]!,
    amount_cents: cents === null ? null : Number(cents),
    visitor: row[17] as 'new' | null,
  };
}

/** Counts of one dimension, for one owner and event kind on one day. */
export interface CountedDay {
  owner: string;
  event: StoredKind;
  /** Days since 1970. */
  day: number;
  dimension: DimensionName;
  /**
   * Counts by the ids of values. For fine dimensions, the key is the id times {@link QUARTERS} plus
   * the quarter-hour of the day.
   */
  counts: Counts;
}

/**
 * Counts of one owner and event kind on one day, by dimension. Values have the numbers of their
 * lists.
 */
interface Day {
  owner: string;
  event: StoredKind;
  day: number;
  counts: (Counts | undefined)[];
}

/** The values of a dimension, numbered in order of appearance; they get their ids later. */
export class ValueList {
  readonly #numbers = new Map<string, number>();
  readonly values: string[] = [];
  readonly ids: number[] = [];

  numberOf(value: string): number {
    let number = this.#numbers.get(value);
    if (number === undefined) {
      const copy = copyOf(value);
      number = this.values.push(copy) - 1;
      this.#numbers.set(copy, number);
    }
    return number;
  }
}

/**
 * Copies a text: a substring keeps the whole original in memory, here thousands of rows read by
 * COPY.
 */
const copyOf = (text: string): string => Buffer.from(text).toString();

/** Reads the number of an event's value; `undefined` if there is none. */
type ReadNumber = (event: CountedEvent) => number | undefined;

interface CountedDimension {
  name: DimensionName;
  isFine: boolean;
  list: ValueList;
  read: ReadNumber;
}

/** Counts events of a workspace by its domains or its records. */
export class EventCounter {
  readonly #projectId: string;
  readonly #scope: Scope;
  readonly #dimensions: CountedDimension[];
  readonly #days = new Map<string, Day>();

  constructor(projectId: string, scope: Scope) {
    this.#projectId = projectId;
    this.#scope = scope;
    this.#dimensions = COUNTED_DIMENSIONS.filter(
      (name) => scope === 'domain' || name !== 'record',
    ).map((name) => {
      const list = new ValueList();
      return { name, isFine: isFineIn(scope, name), list, read: readerOf(name, list) };
    });
  }

  /** Number of values that it holds. */
  get values(): number {
    return this.#dimensions.reduce((sum, { list }) => sum + list.values.length, 0);
  }

  /**
   * Counts an event.
   *
   * @param quarter quarter-hours since 1970
   */
  add(event: CountedEvent, quarter: number): void {
    const owner = this.#scope === 'domain' ? event.domain : event.link_id!;
    const number = Math.floor(quarter / QUARTERS);
    const name = `${event.event}\n${number}\n${owner}`;
    let day = this.#days.get(name);
    if (day === undefined) {
      day = { owner, event: event.event, day: number, counts: [] };
      this.#days.set(name, day);
    }
    const amount = event.amount_cents ?? 0;
    const visitors = event.visitor === null ? 0 : 1;
    const slot = quarter - number * QUARTERS;
    for (let at = 0; at < this.#dimensions.length; at += 1) {
      const { read, isFine } = this.#dimensions[at]!;
      const value = read(event);
      if (value === undefined) continue;
      const id = isFine ? value * QUARTERS + slot : value;
      (day.counts[at] ??= new Counts()).add(id, 1, amount, visitors);
    }
  }

  /** Requests ids for the values that have none yet. */
  requestIds(requested: RequestedValues): void {
    for (const [name, { values, ids }] of this.#lists()) {
      requested.add(this.#projectId, name, values.slice(ids.length));
    }
  }

  /** Stores the ids of the requested values. */
  takeIds(idsOf: ValueIds): void {
    for (const [name, { values, ids }] of this.#lists()) {
      const idOf = idsOf(this.#projectId, name);
      for (const value of values.slice(ids.length)) ids.push(idOf.get(value)!);
    }
  }

  /** Removes and returns the counts of all days, once their values have ids; the values stay. */
  *takeDays(): Generator<CountedDay> {
    for (const { owner, event, day, counts } of this.#days.values()) {
      for (const [at, { name, isFine, list }] of this.#dimensions.entries()) {
        const numbered = counts[at];
        if (numbered === undefined) continue;
        const byId = new Counts(numbered.size);
        numbered.forEach((number, count, amount, visitors) => {
          const slot = isFine ? number % QUARTERS : 0;
          const value = isFine ? (number - slot) / QUARTERS : number;
          const id = name === 'all' ? 0 : list.ids[value]!;
          byId.add(isFine ? id * QUARTERS + slot : id, count, amount, visitors);
        });
        yield { owner, event, day, dimension: name, counts: byId };
      }
    }
    this.#days.clear();
  }

  #lists(): [name: string, ValueList][] {
    return this.#dimensions.flatMap(({ name, list }): [string, ValueList][] =>
      name === 'all' ? [] : [[name, list]],
    );
  }
}

/** Makes a function that reads the value in the same way as `valueSql` does in the database. */
export function readerOf(name: DimensionName, list: ValueList): ReadNumber {
  const { columns, isUtm, isPage } = dimensionOf(name);
  if (isUtm) return ofDestination(list, utmValue);
  if (isPage) return ofDestination(list, pageOf);
  const [first, ...others] = columns as readonly (keyof CountedEvent)[];
  if (first === undefined) return () => list.numberOf('');
  return (event) => {
    let value = event[first] as string | null;
    for (const column of others) {
      const part = event[column] as string | null;
      value = value === null || part === null ? null : `${value}\t${part}`;
    }
    return value === null ? undefined : list.numberOf(value);
  };
}

/** Maximum number of destinations whose value is cached. */
const MAX_DESTINATIONS = 100_000;

/** Reads a value derived from the destination, once for all events with the same destination. */
function ofDestination(list: ValueList, valueOf: (url: string) => string | undefined): ReadNumber {
  const numbers = new Map<string, number | undefined>();
  return ({ url }) => {
    const cached = numbers.get(url);
    if (cached !== undefined || numbers.has(url)) return cached;
    const value = valueOf(url);
    const number = value === undefined ? undefined : list.numberOf(value);
    if (numbers.size >= MAX_DESTINATIONS) numbers.clear();
    numbers.set(copyOf(url), number);
    return number;
  };
}

/** Returns the value of the dimension `utm` of a destination; `undefined` without parameters. */
export function utmValue(url: string): string | undefined {
  if (!url.includes('utm_')) return undefined;
  const texts = UTM_FIELDS.map((name) => utmText(url, name) ?? '');
  return texts.some((text) => text !== '') ? texts.join('\t') : undefined;
}

import type { CopiedRow } from '../../../infra/copy.ts';
import { type DimensionName, dimensionOf, pageOf } from '../../dimensions.ts';
import type { EventRow } from '../../event.ts';
import type { EventKind } from '../../kinds.ts';
import { UTM_FIELDS, utmText } from '../../utm.ts';
import { Counts, minus } from './counts.ts';
import { isFineIn, namesOf, QUARTERS, type Scope } from './rollups.ts';
import type { ValueIds, WantedValues } from './values.ts';
import type { Amount } from './varints.ts';

/** The columns of an event that counts depend on, beside its time. */
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
] as const satisfies readonly (keyof EventRow)[];

/** An event that is counted, or taken out of the counts. */
export type CountedEvent = Pick<EventRow, (typeof COUNTED_COLUMNS)[number]>;

/** Reads {@link COUNTED_COLUMNS} after the first column of a row. */
export function eventOf(row: CopiedRow): CountedEvent {
  const cents = row[16]!;
  return {
    event: row[1] as EventKind,
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
  };
}

/** Counts of one dimension, for one owner and kind of event on one day. */
export interface TalliedDay {
  owner: string;
  event: string;
  /** Days since 1970. */
  day: number;
  dimension: DimensionName;
  /** By the ids of values; of fine dimensions, times {@link QUARTERS} plus the quarter of the day. */
  counts: Counts;
}

/** Counts of one owner and kind of event on one day, by dimension; values have the numbers of their lists. */
interface Day {
  owner: string;
  event: string;
  day: number;
  counts: (Counts | undefined)[];
}

/** The values of a dimension, numbered as they come; they get their ids later. */
export class ValueList {
  readonly #numbers = new Map<string, number>();
  readonly values: string[] = [];
  readonly ids: number[] = [];

  numberOf(value: string): number {
    let number = this.#numbers.get(value);
    if (number === undefined) {
      const own = copyOf(value);
      number = this.values.push(own) - 1;
      this.#numbers.set(own, number);
    }
    return number;
  }
}

/** A part of a text keeps all of it in memory: thousands of rows, where it was read from COPY. */
const copyOf = (text: string): string => Buffer.from(text).toString();

/** The number of the value of an event; `undefined` where it has none. */
type ReadNumber = (event: CountedEvent) => number | undefined;

interface TalliedDimension {
  name: DimensionName;
  isFine: boolean;
  list: ValueList;
  read: ReadNumber;
}

/** Counts events of a workspace for its domains or its records. */
export class Tally {
  readonly #projectId: string;
  readonly #scope: Scope;
  readonly #dimensions: TalliedDimension[];
  /** Whole destinations, which filters search. */
  readonly #destinations = new ValueList();
  readonly #days = new Map<string, Day>();

  constructor(projectId: string, scope: Scope) {
    this.#projectId = projectId;
    this.#scope = scope;
    this.#dimensions = namesOf(scope).map((name) => {
      const list = new ValueList();
      return { name, isFine: isFineIn(scope, name), list, read: readerOf(name, list) };
    });
  }

  /** Number of values that it holds. */
  get values(): number {
    const lists = this.#dimensions.map(({ list }) => list.values.length);
    return lists.reduce((sum, length) => sum + length, this.#destinations.values.length);
  }

  /**
   * Counts an event.
   *
   * @param quarter quarters of an hour since 1970
   * @param sign -1 takes it out
   */
  add(event: CountedEvent, quarter: number, sign: 1 | -1 = 1): void {
    const owner = this.#scope === 'domain' ? event.domain : event.link_id!;
    const number = Math.floor(quarter / QUARTERS);
    const name = `${event.event}\n${number}\n${owner}`;
    let day = this.#days.get(name);
    if (day === undefined) {
      day = { owner, event: event.event, day: number, counts: [] };
      this.#days.set(name, day);
    }
    if (this.#scope === 'domain') this.#destinations.numberOf(event.url);
    const cents = event.amount_cents ?? 0;
    const amount: Amount = sign === 1 ? cents : minus(cents);
    const slot = quarter - number * QUARTERS;
    for (let at = 0; at < this.#dimensions.length; at += 1) {
      const { read, isFine } = this.#dimensions[at]!;
      const value = read(event);
      if (value === undefined) continue;
      (day.counts[at] ??= new Counts()).add(isFine ? value * QUARTERS + slot : value, sign, amount);
    }
  }

  /** Adds the values that have no ids yet. */
  want(wanted: WantedValues): void {
    for (const [name, { values, ids }] of this.#lists()) {
      wanted.add(this.#projectId, name, values.slice(ids.length));
    }
  }

  /** Takes the ids of the values that were wanted. */
  takeIds(idsOf: ValueIds): void {
    for (const [name, { values, ids }] of this.#lists()) {
      const found = idsOf(this.#projectId, name);
      for (const value of values.slice(ids.length)) ids.push(found.get(value)!);
    }
  }

  /** Takes out the counts of all days, once their values have ids; the values stay. */
  *takeDays(): Generator<TalliedDay> {
    for (const { owner, event, day, counts } of this.#days.values()) {
      for (const [at, { name, isFine, list }] of this.#dimensions.entries()) {
        const numbered = counts[at];
        if (numbered === undefined) continue;
        const byId = new Counts(numbered.size);
        numbered.forEach((number, count, amount) => {
          const slot = isFine ? number % QUARTERS : 0;
          const value = isFine ? (number - slot) / QUARTERS : number;
          const id = name === 'all' ? 0 : list.ids[value]!;
          byId.add(isFine ? id * QUARTERS + slot : id, count, amount);
        });
        yield { owner, event, day, dimension: name, counts: byId };
      }
    }
    this.#days.clear();
  }

  #lists(): [name: string, ValueList][] {
    const lists = this.#dimensions.flatMap(({ name, list }): [string, ValueList][] =>
      name === 'all' ? [] : [[name, list]],
    );
    return this.#scope === 'domain' ? [...lists, ['destination', this.#destinations]] : lists;
  }
}

/** As `valueSql` reads it in the database. */
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

/** Most destinations whose value is remembered. */
const MOST_DESTINATIONS = 100_000;

/** Reads a value of the destination, once for all events that have the same. */
function ofDestination(list: ValueList, valueOf: (url: string) => string | undefined): ReadNumber {
  const known = new Map<string, number | undefined>();
  return ({ url }) => {
    const number = known.get(url);
    if (number !== undefined || known.has(url)) return number;
    const value = valueOf(url);
    const found = value === undefined ? undefined : list.numberOf(value);
    if (known.size >= MOST_DESTINATIONS) known.clear();
    known.set(copyOf(url), found);
    return found;
  };
}

/** The value of the dimension `utm` of a destination; `undefined` without parameters. */
export function utmValue(url: string): string | undefined {
  if (!url.includes('utm_')) return undefined;
  const texts = UTM_FIELDS.map((name) => utmText(url, name) ?? '');
  return texts.some((text) => text !== '') ? texts.join('\t') : undefined;
}

import { type DimensionName, deriveFrom, dimensionOf, keyOfValues } from '../../dimensions.ts';
import { type EventKind, kindOf, kindsWithVisitors, pluralOf, reducersOf } from '../../kinds.ts';
import { type Numbers, numberNames, VISITORS } from '../../query/numbers.ts';
import { MAX_VALUES, type ValueCount } from '../store.ts';
import type { Counted } from './count.ts';
import { type Counts, plus } from './counts.ts';
import { type CountsByKind, queryCounts } from './query-counts.ts';
import { findValues } from './values.ts';
import type { Amount } from './varints.ts';

/** Makes a function that reads the numbers of ids; look-ups that all ids share are done once. */
export function numbersReader(
  events: readonly EventKind[],
  counts: CountsByKind,
): (id: number) => Numbers {
  const kinds = events.map((kind) => ({
    name: pluralOf(kind),
    amount: kindOf(kind).amount,
    ofKind: counts.get(kind)!,
    reducers: reducersOf(kind, events).map((other) => counts.get(other)!),
  }));
  const visited = kindsWithVisitors(events).map((kind) => counts.get(kind)!);
  return (id) => {
    const numbers: Numbers = {};
    for (const { name, amount, ofKind, reducers } of kinds) {
      numbers[name] = ofKind.count(id);
      if (amount !== undefined) numbers[amount] = shown(netOf(id, ofKind, reducers));
    }
    if (visited.length > 0) {
      numbers[VISITORS] = visited.reduce((sum, ofKind) => sum + ofKind.visitors(id), 0);
    }
    return numbers;
  };
}

/** Returns the amount of an id less its amounts in the counts that reduce it. */
const netOf = (id: number, counts: Counts, reducers: readonly Counts[]): Amount =>
  reducers.reduce((net, reducer) => plus(net, -reducer.amount(id)), counts.amount(id));

/** Converts an amount to a number; amounts beyond the safe integers become the nearest of them. */
const shown = (amount: Amount): number =>
  Math.max(Math.min(Number(amount), Number.MAX_SAFE_INTEGER), Number.MIN_SAFE_INTEGER);

/**
 * Finds the values with the highest count of the first kind, up to {@link MAX_VALUES}; ties are in
 * the order of the values.
 */
export async function topOf(
  counted: Counted,
  events: readonly EventKind[],
  dimension: DimensionName,
  prefix: string,
): Promise<ValueCount[]> {
  const { storedAs, nameOf } = dimensionOf(dimension);
  if (storedAs !== undefined || nameOf !== undefined) {
    return sumsOfDerived(counted, events, dimension);
  }
  const numbersAt = numbersReader(events, counted.counts);
  const topValues: ValueCount[] = [];
  for (
    let groups = byCount(counted, events);
    topValues.length < MAX_VALUES && groups.length > 0;
  ) {
    const nextGroups = firstGroups(groups);
    groups = groups.slice(nextGroups.length);
    const values = dimension === 'all' ? undefined : await valuesOf(counted, nextGroups.flat());
    for (const ids of nextGroups) {
      const ofGroup: ValueCount[] = [];
      for (const id of ids) {
        const value = values === undefined ? '' : values.get(id);
        if (value?.startsWith(prefix) === true) ofGroup.push({ value, numbers: numbersAt(id) });
      }
      if (ofGroup.length > 1) ofGroup.sort(orderOf(ofGroup));
      for (const value of ofGroup) topValues.push(value);
    }
  }
  return topValues.slice(0, MAX_VALUES);
}

/**
 * Takes the first groups that together have {@link MAX_VALUES} ids, or all groups. The order of
 * values decides within the last group.
 */
function firstGroups(groups: readonly number[][]): readonly number[][] {
  let size = 0;
  const last = groups.findIndex((ids) => (size += ids.length) >= MAX_VALUES);
  return last < 0 ? groups : groups.slice(0, last + 1);
}

/** Groups ids with equal counts of the first kind, highest count first. */
function byCount(counted: Counted, events: readonly EventKind[]): number[][] {
  const first = counted.counts.get(events[0]!)!;
  const groups = new Map<number, number[]>();
  for (const id of idsOf(counted, events)) {
    const count = first.count(id);
    const group = groups.get(count);
    if (group === undefined) groups.set(count, [id]);
    else group.push(id);
  }
  return Array.from(
    Float64Array.from(groups.keys()).toSorted().toReversed(),
    (count) => groups.get(count)!,
  );
}

/** Lists the ids that have a count of any kind. */
function idsOf({ counts }: Counted, events: readonly EventKind[]): Float64Array | Set<number> {
  const ofKinds = events.map((event) => counts.get(event)!.ids());
  if (ofKinds.length === 1) return ofKinds[0]!;
  const ids = new Set<number>();
  for (const ofKind of ofKinds) for (const id of ofKind) ids.add(id);
  return ids;
}

/** Finds values by id, including those that are not in the list of values. */
async function valuesOf(
  { values: unlisted }: Counted,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (unlisted.size === 0) return findValues(ids);
  const values = await findValues(ids.filter((id) => !unlisted.has(id)));
  return new Map([...values, ...unlisted]);
}

/** Sums the numbers by values that are derived from the stored ones; empty ones are left out. */
async function sumsOfDerived(
  counted: Counted,
  events: readonly EventKind[],
  dimension: DimensionName,
): Promise<ValueCount[]> {
  const derive = deriveFrom(dimension);
  const keyOf = keyOfValues(dimension);
  const ids = [...idsOf(counted, events)];
  const stored = await valuesOf(counted, ids);
  const values: string[] = [];
  const numberOf = new Map<string, number>();
  const { counts: sums } = queryCounts(events);
  for (const id of ids) {
    const text = stored.get(id);
    const value = text === undefined ? '' : derive(text);
    if (value === '') continue;
    const key = keyOf(value);
    let number = numberOf.get(key);
    if (number === undefined) {
      number = values.push(value) - 1;
      numberOf.set(key, number);
    } else if (value !== values[number]) {
      values[number] = lastOf(values[number]!, value);
    }
    for (const [kind, counts] of counted.counts) sums.get(kind)!.addOf(counts, id, number);
  }
  const numbersAt = numbersReader(events, sums);
  const first = sums.get(events[0]!)!;
  const least = leastOfTop(Float64Array.from(values, (_, number) => first.count(number)));
  const candidates: ValueCount[] = [];
  for (const [number, value] of values.entries()) {
    if (first.count(number) >= least) candidates.push({ value, numbers: numbersAt(number) });
  }
  return topValues(candidates, events, keyOf);
}

/** Returns the lowest of the {@link MAX_VALUES} highest counts, so that few rows are sorted. */
const leastOfTop = (counts: Float64Array): number =>
  counts.length <= MAX_VALUES ? -Infinity : counts.toSorted()[counts.length - MAX_VALUES]!;

/** Returns the text that sorts last by code points. */
export const lastOf = (one: string, other: string): string => (isBefore(one, other) ? other : one);

/**
 * Takes the values with the highest first number, then in the order of their keys; up to
 * {@link MAX_VALUES}.
 */
export function topValues(
  values: readonly ValueCount[],
  events: readonly EventKind[],
  keyOf: (value: string) => string,
): ValueCount[] {
  const first = numberNames(events)[0]!;
  const keyed = values.map((count) => ({ value: keyOf(count.value), count }));
  const compare = orderOf(keyed);
  return keyed
    .toSorted((a, b) => b.count.numbers[first]! - a.count.numbers[first]! || compare(a, b))
    .slice(0, MAX_VALUES)
    .map(({ count }) => count);
}

interface Valued {
  value: string;
}

/**
 * Makes a comparison of some values in the order of the Postgres collation "C", which is by code
 * point.
 */
function orderOf(values: readonly Valued[]): (a: Valued, b: Valued) => number {
  // Without surrogates, the order of code units equals that of code points.
  return values.some(({ value }) => SURROGATE.test(value))
    ? (a, b) => (isBefore(a.value, b.value) ? -1 : 1)
    : (a, b) => (a.value < b.value ? -1 : 1);
}

const SURROGATE = /[\ud800-\udfff]/;

/** Returns true if a text sorts before another by code points, as in the Postgres collation "C". */
function isBefore(one: string, other: string): boolean {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at += 1) {
    const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)];
    // Surrogates stand for code points that sort after all others.
    if (a !== b) return isSurrogate(a) === isSurrogate(b) ? a < b : isSurrogate(b);
  }
  return one.length < other.length;
}

const isSurrogate = (unit: number): boolean => unit >= 0xd8_00 && unit < 0xe0_00;

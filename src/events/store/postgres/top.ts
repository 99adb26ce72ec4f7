import { type DimensionName, dimensionOf, partsOf } from '../../dimensions.ts';
import { type EventKind, kindOf, pluralOf } from '../../kinds.ts';
import { type Numbers, numberNames } from '../../query/numbers.ts';
import { MAX_VALUES, type ValueCount } from '../store.ts';
import { Counts } from './counts.ts';
import type { Rolled } from './rolled.ts';
import { findValues } from './values.ts';
import type { Amount } from './varints.ts';

/** The numbers of an id, by kind of event. */
export const numbersOf = (
  events: readonly EventKind[],
  counts: ReadonlyMap<string, Counts>,
  id: number,
): Numbers => numbersReader(events, counts)(id);

/** Reads the numbers of ids; what they have in common is looked up once. */
function numbersReader(
  events: readonly EventKind[],
  counts: ReadonlyMap<string, Counts>,
): (id: number) => Numbers {
  const kinds = events.map((kind) => ({
    name: pluralOf(kind),
    amount: kindOf(kind).amount,
    ofKind: counts.get(kind)!,
  }));
  return (id) => {
    const numbers: Numbers = {};
    for (const { name, amount, ofKind } of kinds) {
      numbers[name] = ofKind.count(id);
      if (amount !== undefined) numbers[amount] = shown(ofKind.amount(id));
    }
    return numbers;
  };
}

/** The largest safe number stands for all that is more. */
const shown = (amount: Amount): number => Math.min(Number(amount), Number.MAX_SAFE_INTEGER);

/** The values of which there is most of the first kind, at most {@link MAX_VALUES}; of as many, in their order. */
export async function topOf(
  rolled: Rolled,
  events: readonly EventKind[],
  dimension: DimensionName,
  prefix: string,
): Promise<ValueCount[]> {
  const { rolledUpAs, columns, part } = dimensionOf(dimension);
  if (rolledUpAs !== undefined) {
    return sumsByPart(rolled, events, (value) => {
      const parts = partsOf(value);
      return part === undefined ? parts.slice(0, columns.length).join('\t') : parts[part - 1]!;
    });
  }
  const numbersAt = numbersReader(events, rolled.counts);
  const found: ValueCount[] = [];
  for (let groups = byCount(rolled, events); found.length < MAX_VALUES && groups.length > 0; ) {
    const some = firstGroups(groups);
    groups = groups.slice(some.length);
    const values = dimension === 'all' ? undefined : await valuesOf(rolled, some.flat());
    for (const ids of some) {
      const ofGroup: ValueCount[] = [];
      for (const id of ids) {
        const value = values === undefined ? '' : values.get(id);
        if (value?.startsWith(prefix) === true) ofGroup.push({ value, numbers: numbersAt(id) });
      }
      if (ofGroup.length > 1) ofGroup.sort(orderOf(ofGroup));
      for (const one of ofGroup) found.push(one);
    }
  }
  return found.slice(0, MAX_VALUES);
}

/** The first groups that have {@link MAX_VALUES} ids together, or all: of a group that is cut, the order of values decides. */
function firstGroups(groups: readonly number[][]): readonly number[][] {
  let size = 0;
  const last = groups.findIndex((ids) => (size += ids.length) >= MAX_VALUES);
  return last < 0 ? groups : groups.slice(0, last + 1);
}

/** Ids in groups with as many of the first kind, the most first. */
function byCount(rolled: Rolled, events: readonly EventKind[]): number[][] {
  const first = rolled.counts.get(events[0]!)!;
  const groups = new Map<number, number[]>();
  for (const id of idsOf(rolled)) {
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

/** The ids that have a count of any kind. */
function idsOf({ counts }: Rolled): Float64Array | Set<number> {
  const ofKinds = Array.from(counts.values(), (ofKind) => ofKind.ids());
  if (ofKinds.length === 1) return ofKinds[0]!;
  const ids = new Set<number>();
  for (const some of ofKinds) for (const id of some) ids.add(id);
  return ids;
}

/** Values by ids, those that are none of the list of values as well. */
async function valuesOf(
  { values: unlisted }: Rolled,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (unlisted.size === 0) return findValues(ids);
  const values = await findValues(ids.filter((id) => !unlisted.has(id)));
  return new Map([...values, ...unlisted]);
}

/** Numbers by parts of values; those without the part are left out. */
async function sumsByPart(
  rolled: Rolled,
  events: readonly EventKind[],
  partOf: (value: string) => string,
): Promise<ValueCount[]> {
  const ids = [...idsOf(rolled)];
  const values = await valuesOf(rolled, ids);
  const parts: string[] = [];
  const numberOf = new Map<string, number>();
  const sums = new Map(events.map((event) => [event as string, new Counts()]));
  for (const id of ids) {
    const value = values.get(id);
    const part = value === undefined ? '' : partOf(value);
    if (part === '') continue;
    let number = numberOf.get(part);
    if (number === undefined) {
      number = parts.push(part) - 1;
      numberOf.set(part, number);
    }
    for (const [event, counts] of rolled.counts) {
      sums.get(event)!.add(number, counts.count(id), counts.amount(id));
    }
  }
  const numbersAt = numbersReader(events, sums);
  return most(
    parts.map((value, number) => ({ value, numbers: numbersAt(number) })),
    events,
  );
}

/** The values with most of the first number, then in the order of the values; at most {@link MAX_VALUES}. */
export function most(found: ValueCount[], events: readonly EventKind[]): ValueCount[] {
  const first = numberNames(events)[0]!;
  const compare = orderOf(found);
  return found
    .toSorted((a, b) => b.numbers[first]! - a.numbers[first]! || compare(a, b))
    .slice(0, MAX_VALUES);
}

interface Valued {
  value: string;
}

/** The order of some values as Postgres sorts in the collation "C": by code points. */
function orderOf(found: readonly Valued[]): (a: Valued, b: Valued) => number {
  // Without surrogates, the order of code units is that of code points.
  return found.some(({ value }) => SURROGATE.test(value))
    ? (a, b) => (isBefore(a.value, b.value) ? -1 : 1)
    : (a, b) => (a.value < b.value ? -1 : 1);
}

const SURROGATE = /[\ud800-\udfff]/;

/** True where a text comes before another one by code points, as Postgres sorts in the collation "C". */
function isBefore(one: string, other: string): boolean {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at += 1) {
    const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)];
    // Surrogates stand for code points after all others.
    if (a !== b) return isSurrogate(a) === isSurrogate(b) ? a < b : isSurrogate(b);
  }
  return one.length < other.length;
}

const isSurrogate = (unit: number): boolean => unit >= 0xd8_00 && unit < 0xe0_00;

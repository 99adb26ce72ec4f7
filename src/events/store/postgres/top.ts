import { type DimensionName, dimensionOf, partsOf } from '../../dimensions.ts';
import { type EventKind, kindOf, pluralOf } from '../../kinds.ts';
import { type Numbers, numberNames } from '../../query/numbers.ts';
import { MAX_VALUES, type ValueCount } from '../store.ts';
import { Counts } from './counts.ts';
import type { Rolled } from './rolled.ts';
import { findValues } from './values.ts';
import type { Amount } from './varints.ts';

/** The numbers of an id, by kind of event. */
export function numbersOf(
  events: readonly EventKind[],
  counts: ReadonlyMap<string, Counts>,
  id: number,
): Numbers {
  const numbers: Numbers = {};
  for (const kind of events) {
    const { amount } = kindOf(kind);
    const ofKind = counts.get(kind)!;
    numbers[pluralOf(kind)] = ofKind.count(id);
    if (amount !== undefined) numbers[amount] = shown(ofKind.amount(id));
  }
  return numbers;
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
  const first = rolled.counts.get(events[0]!)!;
  const ids = byCount(Float64Array.from(idsOf(rolled)), first);
  const found: ValueCount[] = [];
  for (let from = 0; from < ids.length && found.length < MAX_VALUES; ) {
    // Those after the last one that are as many may come before it.
    let to = Math.min(from + MAX_VALUES, ids.length);
    while (to < ids.length && first.count(ids[to]!) === first.count(ids[to - 1]!)) to += 1;
    const some = [...ids.subarray(from, to)];
    const values = await findValues(some.filter((id) => !rolled.values.has(id)));
    for (const id of some) {
      const value = dimension === 'all' ? '' : (rolled.values.get(id) ?? values.get(id));
      if (value?.startsWith(prefix) !== true) continue;
      found.push({ value, numbers: numbersOf(events, rolled.counts, id) });
    }
    from = to;
  }
  return most(found, events);
}

/** Ids in the order of their counts, the most first. */
function byCount(ids: Float64Array, counts: Counts): Float64Array {
  const countOf = ids.map((id) => counts.count(id));
  const order = Uint32Array.from(ids, (_, at) => at).toSorted((a, b) => countOf[b]! - countOf[a]!);
  return Float64Array.from(order, (at) => ids[at]!);
}

/** The ids that have a count of any kind. */
function idsOf({ counts }: Rolled): Set<number> {
  const ids = new Set<number>();
  for (const ofKind of counts.values()) for (const id of ofKind.ids()) ids.add(id);
  return ids;
}

/** Numbers by parts of values; those without the part are left out. */
async function sumsByPart(
  rolled: Rolled,
  events: readonly EventKind[],
  partOf: (value: string) => string,
): Promise<ValueCount[]> {
  const ids = [...idsOf(rolled)];
  const values = await findValues(ids.filter((id) => !rolled.values.has(id)));
  const parts: string[] = [];
  const numberOf = new Map<string, number>();
  const sums = new Map(events.map((event) => [event as string, new Counts()]));
  for (const id of ids) {
    const value = rolled.values.get(id) ?? values.get(id);
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
  const found = parts.map((value, number) => ({ value, numbers: numbersOf(events, sums, number) }));
  return most(found, events);
}

/** The values with most of the first number, then in the order of the values; at most {@link MAX_VALUES}. */
export function most(found: ValueCount[], events: readonly EventKind[]): ValueCount[] {
  const first = numberNames(events)[0]!;
  // Without surrogates, the order of code units is that of code points.
  const isEarlier = found.some(({ value }) => SURROGATE.test(value))
    ? isBefore
    : (one: string, other: string) => one < other;
  return found
    .toSorted(
      (a, b) => b.numbers[first]! - a.numbers[first]! || (isEarlier(a.value, b.value) ? -1 : 1),
    )
    .slice(0, MAX_VALUES);
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

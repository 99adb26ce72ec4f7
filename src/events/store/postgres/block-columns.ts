import type { EventRow } from '../../event.ts';
import { ROOT_KEY } from '../../filters.ts';
import { packCodes } from './block-codes.ts';
import { packAscending, packNumbers } from './block-numbers.ts';
import {
  COUNTED_COLUMNS,
  COUNTED_DIMENSIONS,
  type CountedEvent,
  readerOf,
  ValueList,
} from './event-counter.ts';
import { QUARTER_MS } from './quarters.ts';
import { RequestedValues, type ValueIds } from './values.ts';

/**
 * Version of the columns of blocks, and of the counts of their sums; version 1 is older than
 * visitors, version 2 than suspects, version 3 than refunds. The database refuses blocks and sums of
 * earlier versions, which processes of previous releases build, because they would lack events.
 */
export const BLOCK_FORMAT = 4;

/** Columns of an event that blocks contain, besides its time. */
export const BLOCK_COLUMNS = [...COUNTED_COLUMNS, 'continent', 'via', 'key'] as const;

/** An event with the columns that blocks contain. */
export type BlockEvent = CountedEvent & Pick<EventRow, 'continent' | 'via' | 'key'>;

/** Columns of blocks that are no dimension, with the functions that read their values. */
const MORE = {
  event: ({ event }: BlockEvent) => event,
  domain: ({ domain }: BlockEvent) => domain,
  via: ({ via }: BlockEvent) => via,
  continent: ({ continent }: BlockEvent) => continent,
  /** The dimension contains only variants of links and QR codes, joined with the record's id. */
  variant_name: ({ variant }: BlockEvent) => variant,
  visitor: ({ visitor }: BlockEvent) => visitor,
  root: ({ link_id, key }: BlockEvent) => (link_id === null && key === ROOT_KEY ? '' : null),
};

/** A row of `event_block_columns`. */
export interface PackedColumn {
  name: string;
  dictionary: Buffer;
  codes: Buffer;
}

/** A column of a block whose values have ids in the list of the same name. */
interface ValueColumn {
  name: string;
  list: ValueList;
  read: (event: BlockEvent) => number | undefined;
  /** By event: the number of its value in the list plus 1; 0 without a value. */
  numbers: number[];
}

/** Builds the columns of a block from its events, in order. */
export class BlockColumns {
  readonly #projectId: string;
  readonly #columns: ValueColumn[];
  readonly #times: number[] = [];
  /** Amounts by the position of the event, from 0. */
  readonly #amounts = new Map<number, number>();

  constructor(projectId: string) {
    this.#projectId = projectId;
    const dimensions = COUNTED_DIMENSIONS.filter((name) => name !== 'all').map((name) => {
      const list = new ValueList();
      return { name, list, read: readerOf(name, list), numbers: [] };
    });
    const others = Object.entries(MORE).map(([name, valueOf]) => {
      const list = new ValueList();
      const read = (event: BlockEvent) => {
        const value = valueOf(event);
        return value === null ? undefined : list.numberOf(value);
      };
      return { name, list, read, numbers: [] };
    });
    this.#columns = [...dimensions, ...others];
  }

  /** Number of events that were added. */
  get size(): number {
    return this.#times.length;
  }

  /** @param time in µs since 1970 */
  add(event: BlockEvent, time: number): void {
    if (event.amount_cents !== null) this.#amounts.set(this.size, event.amount_cents);
    this.#times.push(time);
    for (const { read, numbers } of this.#columns) numbers.push((read(event) ?? -1) + 1);
  }

  /** Lists the values whose ids {@link pack} needs. */
  requestedValues(): RequestedValues {
    const requested = new RequestedValues();
    for (const { name, list } of this.#columns) requested.add(this.#projectId, name, list.values);
    return requested;
  }

  pack(idsOf: ValueIds): PackedColumn[] {
    const ofValues = this.#columns.map(({ name, list, numbers }) => {
      const ids = idsOf(this.#projectId, name);
      return packColumn(
        name,
        list.values.map((value) => ids.get(value)!),
        numbers,
      );
    });
    return [...ofValues, this.#packAmounts(), ...this.#packTimes()];
  }

  #packAmounts(): PackedColumn {
    const places = [...this.#amounts.keys()];
    const amounts = [...this.#amounts.values()];
    return { name: 'amounts', dictionary: packAscending(places), codes: packNumbers(amounts) };
  }

  #packTimes(): PackedColumn[] {
    const quarters: number[] = [];
    const ends: number[] = [];
    for (const [at, time] of this.#times.entries()) {
      const quarter = Math.floor(time / (QUARTER_MS * 1_000));
      if (quarters.at(-1) !== quarter) {
        quarters.push(quarter);
        ends.push(at);
      }
      ends[ends.length - 1] = at + 1;
    }
    return [
      { name: 'times', dictionary: packAscending(this.#times), codes: Buffer.alloc(0) },
      { name: 'quarters', dictionary: packAscending(quarters), codes: packAscending(ends) },
    ];
  }
}

/** @param numbers by event: the position in the list, from 1; 0 without a value */
function packColumn(name: string, list: readonly number[], numbers: number[]): PackedColumn {
  const sorted = Float64Array.from(list).toSorted();
  const rankOf = new Map(Array.from(sorted, (number, at) => [number, at + 1]));
  const codeOf = Uint32Array.from([0, ...list.map((number) => rankOf.get(number)!)]);
  const codes = Uint32Array.from(numbers, (number) => codeOf[number]!);
  return { name, dictionary: packAscending(sorted), codes: packCodes(codes, sorted.length) };
}

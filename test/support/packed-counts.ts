import { Counts, readCounts } from '../../src/events/store/postgres/counts.ts';
import type { Amount } from '../../src/events/store/postgres/varints.ts';

/** Decodes counts in their stored format. */
export function unpacked(packed: Buffer): Counts {
  const counts = new Counts();
  readCounts(packed, (id, count, amount) => counts.add(id, count, amount));
  return counts;
}

/** Returns counts in their stored format, each with its id. */
export function entriesOf(packed: Buffer): [id: number, count: number, amount: Amount][] {
  const counts = unpacked(packed);
  return Array.from(counts.ids(), (id) => [id, counts.count(id), counts.amount(id)]);
}

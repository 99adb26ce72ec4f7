import { Refusal } from '../../errors.ts';
import type { Query } from '../../http/input.ts';
import { type CallQuery, lastValue } from '../peer.ts';

/** Last page of a list at Dub, after which only cursors lead on. */
const MAX_PAGE = 1_000;

/** The record at which a page of a list begins or ends. */
export interface Cursor {
  /** `after`: the page has the records that follow it in the list; `before`: those that precede it. */
  side: 'after' | 'before';
  id: string;
}

/**
 * Reads the cursor of a list, which other parameters must not contradict.
 *
 * @returns `undefined` if the list is read by page
 * @throws Refusal `unprocessable_entity`
 */
export function cursorOf(query: Query): Cursor | undefined {
  const after = lastValue(query, 'startingAfter');
  const before = lastValue(query, 'endingBefore');
  const page = lastValue(query, 'page');
  if (after !== undefined && before !== undefined) {
    refuse('startingAfter and endingBefore must not be given together');
  }
  if (Number(page) > MAX_PAGE) {
    refuse(`page must be at most ${MAX_PAGE}: read further pages with startingAfter`);
  }
  const id = after ?? before;
  if (id === undefined) return undefined;
  if (page !== undefined) {
    refuse('page must not be given together with startingAfter or endingBefore');
  }
  if ((lastValue(query, 'sortBy') ?? 'createdAt') !== 'createdAt') {
    refuse('sortBy must be createdAt with startingAfter or endingBefore');
  }
  if ((lastValue(query, 'sortOrder') ?? 'desc') !== 'desc') {
    refuse('sortOrder must be desc with startingAfter or endingBefore');
  }
  return { side: after === undefined ? 'before' : 'after', id };
}

/** Reads the record of a cursor. @throws Refusal `unprocessable_entity` if there is none */
export async function recordAt<Body>({ side, id }: Cursor, record: Promise<{ body: Body }>) {
  try {
    return (await record).body;
  } catch (thrown) {
    if (!(thrown instanceof Refusal) || thrown.code !== 'not_found') throw thrown;
    const name = side === 'after' ? 'startingAfter' : 'endingBefore';
    return refuse(`${name} must be the id of a record of the list; there is no "${id}"`);
  }
}

/**
 * Reads the size of a page.
 *
 * @throws Refusal `unprocessable_entity`
 */
export function sizeIn(
  query: CallQuery,
  name: string,
  { most, otherwise }: { most: number; otherwise: number },
): number {
  const size = Number(lastValue(query, name) ?? otherwise);
  if (Number.isInteger(size) && size >= 1 && size <= most) return size;
  return refuse(`${name} must be a whole number from 1 to ${most}`);
}

function refuse(message: string): never {
  throw new Refusal('unprocessable_entity', message);
}

import { Refusal } from '../errors.ts';
import type { Answer } from './route.ts';

export const ok = (body: unknown): Answer => ({ status: 200, body });

export const noContent: Answer = { status: 204, body: undefined };

/**
 * Returns a requested record.
 *
 * @throws Refusal `not_found` if there is none
 */
export function found<Item>(record: Item | undefined, what: string): Item {
  if (record === undefined) throw new Refusal('not_found', `There is no ${what}`);
  return record;
}

/** Makes an answer of 201 with the record and its location. */
export const created = (location: string, body: unknown): Answer => ({
  status: 201,
  body,
  headers: { Location: location },
});

/** Adds the header that marks the answer of an earlier request. */
export const replayed = (answer: Answer): Answer => ({
  ...answer,
  headers: { ...answer.headers, 'Idempotent-Replayed': 'true' },
});

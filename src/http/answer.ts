import { Refusal } from '../errors.ts';
import type { Answer } from './route.ts';

export const ok = (body: unknown): Answer => ({ status: 200, body });

export const noContent: Answer = { status: 204, body: undefined };

/** A record that was asked for. @throws Refusal `not_found` where there is none */
export function found<Item>(record: Item | undefined, what: string): Item {
  if (record === undefined) throw new Refusal('not_found', `There is no ${what}`);
  return record;
}

/** 201 with the record and where it can be read. */
export const created = (location: string, body: unknown): Answer => ({
  status: 201,
  body,
  headers: { Location: location },
});

/** The answer with the header that tells that an earlier request had it first. */
export const replayed = (answer: Answer): Answer => ({
  ...answer,
  headers: { ...answer.headers, 'Idempotent-Replayed': 'true' },
});

import { Refusal } from '../errors.ts';

/** Furthest row of a list that a page may reach: all rows before it are read for it. */
const FURTHEST = 100_000;

/** @throws Refusal `unprocessable_entity` for a page that is too far into a list */
export function refuseFarPage(query: unknown, path: string): void {
  const { page = 1, pageSize, limit = pageSize, cursor } = query as Record<string, number>;
  if (limit === undefined || cursor !== undefined || page * limit <= FURTHEST) return;
  const instead =
    path === '/events' ? 'follow cursor, from the header X-Next-Cursor,' : 'use filters';
  throw new Refusal(
    'unprocessable_entity',
    `page must not reach further than row ${FURTHEST}; ${instead} instead`,
  );
}

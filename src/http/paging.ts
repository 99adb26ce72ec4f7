import { Refusal } from '../errors.ts';

/** Maximum row that a page may reach, because all rows before it are read too. */
const MAX_ROW = 100_000;

/** @throws Refusal `unprocessable_entity` for a page too far into a list */
export function refuseFarPage(query: unknown, path: string): void {
  const { page = 1, pageSize, limit = pageSize, cursor } = query as Record<string, number>;
  if (limit === undefined || cursor !== undefined || page * limit <= MAX_ROW) return;
  const instead =
    path === '/events' ? 'follow cursor, from the header X-Next-Cursor,' : 'use filters';
  throw new Refusal(
    'unprocessable_entity',
    `page must not reach further than row ${MAX_ROW}; ${instead} instead`,
  );
}

import { Refusal } from '../errors.ts';
import { type Db, db, execute, rows } from '../infra/db.ts';
import { byText, mapSlice, type Order, positionSql, type Slice } from '../infra/keyset.ts';
import { contains } from '../infra/like.ts';
import { cacheRedis } from '../infra/redis.ts';
import { sqlSlice } from '../infra/sql-slice.ts';
import {
  type LookupChange,
  presentService,
  publishCommitted,
  serviceChange,
} from '../lookup/publish.ts';
import type { BlocklistQuery } from './schema.ts';

/**
 * Maximum number of blocked hosts, and of blocked links; every redirect process keeps all of them
 * in memory.
 */
export const MAX_BLOCKED = 10_000;

/** A host that no link may lead to. */
export type BlockedHost = ReturnType<typeof toBlockedHost>;

/** A host to block, with the reason. */
interface NewBlockedHost {
  host: string;
  reason: string;
}

interface BlockedHostRow extends NewBlockedHost {
  created_at: Date;
  updated_at: Date;
}

const toBlockedHost = ({ host, reason, created_at, updated_at }: BlockedHostRow) => ({
  host,
  reason,
  createdAt: created_at.toISOString(),
  updatedAt: updated_at.toISOString(),
});

const BY_HOST: Order = { keys: [byText('host')], direction: 'asc' };

/** Lists a page of the blocked hosts, by name. */
export async function listBlockedHosts({
  search = '',
  page,
  limit,
  after,
}: BlocklistQuery): Promise<Slice<BlockedHost>> {
  const [matches, bindings] = contains('host', search);
  const hosts = await sqlSlice<BlockedHostRow>(
    `SELECT *, ${positionSql(BY_HOST)} FROM blocked_hosts WHERE ${matches}`,
    bindings,
    BY_HOST,
    { page, size: limit, after },
  );
  return mapSlice(hosts, toBlockedHost);
}

/**
 * Reads a host that is itself on the list.
 *
 * @throws Refusal `not_found`
 */
export async function readBlockedHost(host: string): Promise<BlockedHost> {
  const [row] = await rows<BlockedHostRow>(db(), 'SELECT * FROM blocked_hosts WHERE host = ?', [
    host,
  ]);
  if (row === undefined) throw new Refusal('not_found', `The host "${host}" is not blocked`);
  return toBlockedHost(row);
}

/**
 * Blocks a host and its subdomains, or changes the reason. Resolves when all redirect processes
 * have been notified.
 *
 * @throws Refusal `conflict` when the list is full
 */
export function blockHost({ host, reason }: NewBlockedHost): Promise<{ host: string }> {
  return changeBlocklist(async (trx) => {
    const isChanged = await addHost(trx, { host, reason });
    return { result: { host }, isChanged };
  });
}

/**
 * Blocks a host within the transaction of a command.
 *
 * @returns true if the list has changed
 * @throws Refusal `conflict` when the list is full
 */
export async function addHost(trx: Db, { host, reason }: NewBlockedHost): Promise<boolean> {
  const [{ count } = { count: 0 }] = await rows<{ count: number }>(
    trx,
    'SELECT count(*) AS count FROM blocked_hosts WHERE host <> ?',
    [host],
  );
  if (count >= MAX_BLOCKED) {
    throw new Refusal('conflict', `The blocklist has ${MAX_BLOCKED} hosts: remove others first`);
  }
  const changed = await execute(
    trx,
    `INSERT INTO blocked_hosts AS known (host, reason) VALUES (:host, :reason)
     ON CONFLICT (host) DO UPDATE SET reason = excluded.reason, updated_at = now()
      WHERE known.reason <> excluded.reason`,
    { host, reason },
  );
  return changed > 0;
}

/** Removes a host from the list, so that links lead there again. */
export function unblockHost({ host }: { host: string }): Promise<{ host: string }> {
  return changeBlocklist(async (trx) => {
    const deleted = await execute(trx, 'DELETE FROM blocked_hosts WHERE host = ?', [host]);
    return { result: { host }, isChanged: deleted > 0 };
  });
}

/**
 * Changes the blocklist in a transaction, and publishes it. A job that runs again publishes it
 * again.
 */
export async function changeBlocklist<Result>(
  change: (trx: Db) => Promise<{ result: Result; isChanged: boolean }>,
): Promise<Result> {
  const [result, lookup] = await db().transaction(async (trx): Promise<[Result, LookupChange]> => {
    const outcome = await change(trx);
    return [
      outcome.result,
      outcome.isChanged ? await serviceChange(trx) : await presentService(trx),
    ];
  });
  await publishCommitted(cacheRedis(), [lookup]);
  return result;
}

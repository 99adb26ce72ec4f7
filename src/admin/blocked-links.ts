import { recordByOperator } from '../audit/write.ts';
import { Refusal } from '../errors.ts';
import { kindOfId } from '../ids.ts';
import { type Db, db, execute, rows } from '../infra/db.ts';
import { byText, mapSlice, type Order, positionSql, type Slice } from '../infra/keyset.ts';
import { contains } from '../infra/like.ts';
import { sqlSlice } from '../infra/sql-slice.ts';
import { keepNamesOfUnblocked } from '../short-links/kept-names.ts';
import { changeBlocklist, MAX_BLOCKED } from './blocked-hosts.ts';
import type { BlocklistQuery } from './schema.ts';

/** A link or QR code that an operator has blocked. */
export type BlockedLink = ReturnType<typeof toBlockedLink>;

interface BlockedLinkRow {
  record_id: string;
  project_id: string;
  short_link: string;
  reason: string;
  created_at: Date;
}

const toBlockedLink = (row: BlockedLinkRow) => ({
  id: row.record_id,
  projectId: row.project_id,
  shortLink: row.short_link,
  reason: row.reason,
  createdAt: row.created_at.toISOString(),
});

const LATEST_FIRST: Order = {
  keys: [{ sql: 'created_at', type: 'timestamptz' }, byText('record_id')],
  direction: 'desc',
};

/** Lists a page of the blocked links, latest first. */
export async function listBlockedLinks({
  search = '',
  page,
  limit,
  after,
}: BlocklistQuery): Promise<Slice<BlockedLink>> {
  const [matches, bindings] = contains('short_link', search);
  const links = await sqlSlice<BlockedLinkRow>(
    `SELECT *, ${positionSql(LATEST_FIRST)} FROM blocked_links WHERE ${matches}`,
    bindings,
    LATEST_FIRST,
    { page, size: limit, after },
  );
  return mapSlice(links, toBlockedLink);
}

/** @throws Refusal `not_found` */
export async function readBlockedLink(id: string): Promise<BlockedLink> {
  const [row] = await rows<BlockedLinkRow>(
    db(),
    'SELECT * FROM blocked_links WHERE record_id = ?',
    [id],
  );
  if (row === undefined) throw new Refusal('not_found', `The link "${id}" is not blocked`);
  return toBlockedLink(row);
}

/**
 * Blocks a link within the transaction of a command.
 *
 * @returns true if the list has changed
 * @throws Refusal `conflict` when the list is full
 */
export async function addLink(
  trx: Db,
  { id, projectId, shortLink, reason }: Omit<BlockedLink, 'createdAt'>,
): Promise<boolean> {
  const inserted = await execute(
    trx,
    `INSERT INTO blocked_links (record_id, project_id, short_link, reason)
     SELECT :id, :projectId, :shortLink, :reason WHERE (SELECT count(*) FROM blocked_links) < :most
     ON CONFLICT DO NOTHING`,
    { id, projectId, shortLink, reason, most: MAX_BLOCKED },
  );
  if (inserted > 0) return true;
  const [existing] = await rows(trx, 'SELECT 1 FROM blocked_links WHERE record_id = ?', [id]);
  if (existing !== undefined) return false;
  throw new Refusal('conflict', `${MAX_BLOCKED} links are blocked: unblock others first`);
}

/**
 * Unblocks a link; its former names become available after a day. Resolves when all redirect
 * processes have been notified.
 */
export function unblockLink({ id }: { id: string }): Promise<{ id: string }> {
  return changeBlocklist(async (trx) => {
    const [deleted] = await rows<{ project_id: string }>(
      trx,
      'DELETE FROM blocked_links WHERE record_id = ? RETURNING project_id',
      [id],
    );
    if (deleted !== undefined) {
      await keepNamesOfUnblocked(trx, id);
      const target = { kind: kindOfId(id) ?? 'link', id };
      await recordByOperator(trx, deleted.project_id, { action: 'link.unblock', target });
    }
    return { result: { id }, isChanged: deleted !== undefined };
  });
}

import { type Db, db, execute, rows } from '../infra/db.ts';
import type { LookupChange } from '../lookup/publish.ts';
import { handlers } from '../queues/job.ts';
import { type Claim, domainIdsOf, KEPT_HOURS, linkChanges, type Name } from './claims.ts';
import { keptNameJobs } from './jobs.ts';

/*
 * Names that a record has left, by deletion or by a change of its name. Such a name stays claimed
 * without an entry, so that no other record gets the visitors who still use it: for a day, and for
 * as long as the operator blocks the record. A workspace can reuse the name of a record that it
 * deleted at once, unless the record is blocked.
 */

/** Names freed per statement. */
const PRUNED = 10_000;

/** Reserves the names of deleted records. @returns the look-up entries to publish */
export async function keepNames(
  trx: Db,
  deleted: readonly (Name & { id: string })[],
): Promise<LookupChange[]> {
  const kept = await rows<Claim>(
    trx,
    `UPDATE claims c
        SET entry = '', version = nextval('lookup_version'), is_deleted = true,
            free_at = now() + make_interval(hours => :hours)
       FROM json_populate_recordset(NULL::claims, :deleted) AS d
      WHERE c.domain_id = ANY(:domains)
        AND c.domain_id = d.domain_id AND c.key = d.key AND c.record_id = d.record_id
     RETURNING c.domain_id, c.key, c.canonical_key, c.version`,
    {
      hours: KEPT_HOURS,
      deleted: JSON.stringify(deleted.map(({ id, ...name }) => ({ ...name, record_id: id }))),
      domains: domainIdsOf(deleted),
    },
  );
  return kept.flatMap((claim) => linkChanges(claim, null, true));
}

/**
 * Reserves the names that an unblocked record has left for another day, since the block held them
 * until now.
 */
export async function keepNamesOfUnblocked(trx: Db, recordId: string): Promise<void> {
  await execute(
    trx,
    `UPDATE claims SET free_at = now() + make_interval(hours => ?)
      WHERE free_at IS NOT NULL AND record_id = ?`,
    [KEPT_HOURS, recordId],
  );
}

/** Frees names whose reservation has ended. */
export async function pruneKeptNames(): Promise<void> {
  for (let freed = PRUNED; freed === PRUNED; ) {
    freed = await execute(
      db(),
      `DELETE FROM claims WHERE (domain_id, key) IN (
         SELECT domain_id, key FROM claims c
          WHERE c.free_at <= now() AND NOT EXISTS (SELECT 1 FROM blocked_links b WHERE b.record_id = c.record_id)
          LIMIT ?)
         AND free_at <= now()`,
      [PRUNED],
    );
  }
}

export const keptNameHandlers = handlers(keptNameJobs, {
  'names.prune': pruneKeptNames,
});

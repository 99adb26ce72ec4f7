import { type Db, execute, rows } from '../infra/db.ts';
import { CURRENT_PREFIX, decodeLink } from '../lookup/codec.ts';
import type { LinkEntry } from '../lookup/entry.ts';
import type { ShortLinkRow, ShortLinkTables } from './model.ts';

/** Claims rebuilt per transaction. */
const CHUNK = 500;

type Outdated<Row> = Row & { domain: string; entry: string };

/**
 * Rebuilds look-up entries of older versions from their rows, once all redirect processes can read
 * the present version. Redirect processes ignore cached copies of older versions.
 *
 * @param entryOf builds the entry of a row on a domain; reuses the password hash of the `previous`
 *   entry
 * @returns the number of rebuilt entries
 */
export async function rebuildEntries<Row extends ShortLinkRow>(
  db: Db,
  { table }: ShortLinkTables,
  entryOf: (row: Row, domain: string, previous: LinkEntry) => Promise<string>,
): Promise<number> {
  for (let count = 0; ; ) {
    const outdated = await rows<Outdated<Row>>(
      db,
      `SELECT r.*, d.slug AS domain, c.entry FROM claims c
         JOIN ${table} r ON r.project_id = c.project_id AND r.id = c.record_id
         JOIN domains d ON d.id = c.domain_id
        WHERE NOT starts_with(c.entry, :current) AND c.free_at IS NULL LIMIT :limit`,
      { current: CURRENT_PREFIX, limit: CHUNK },
    );
    for (const row of outdated) {
      const { domain, entry } = row;
      const rebuilt = await entryOf(row, domain, decodeLink(entry));
      await execute(
        db,
        `UPDATE claims SET entry = :rebuilt, version = nextval('lookup_version')
          WHERE domain_id = :domainId AND key = :key AND entry = :entry`,
        { rebuilt, domainId: row.domain_id, key: row.key, entry },
      );
    }
    count += outdated.length;
    if (outdated.length < CHUNK) return count;
  }
}

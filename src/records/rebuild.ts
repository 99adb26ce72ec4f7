import type { Db } from '../infra/db.ts';
import { CURRENT, decodeLink } from '../lookup/entry.ts';
import type { RoutedChanges } from './fields.ts';
import type { RecordKind } from './kind.ts';
import type { RoutedRow } from './model.ts';

/** Claims that are made anew in one go. */
const CHUNK = 500;

type Outdated = RoutedRow & { domain: string; entry: string };

/**
 * Makes look-up entries of an older shape anew from their rows. Run with the migrations; copies in the cache are of
 * the older shape too, and are passed over by redirect processes.
 *
 * @returns how many there were
 */
export async function rebuildEntries<Row extends RoutedRow>(
  kind: Pick<RecordKind<Row, RoutedChanges, unknown>, 'table' | 'entry'>,
  db: Db,
): Promise<number> {
  for (let count = 0; ; ) {
    const { rows } = await db.raw<{ rows: Outdated[] }>(
      `SELECT r.*, d.slug AS domain, c.entry FROM claims c
         JOIN ${kind.table} r ON r.project_id = c.project_id AND r.id = c.record_id
         JOIN domains d ON d.id = c.domain_id
        WHERE NOT starts_with(c.entry, :current) LIMIT :limit`,
      { current: CURRENT, limit: CHUNK },
    );
    for (const { domain, entry, ...row } of rows) {
      const made = await kind.entry(row as unknown as Row, domain, decodeLink(entry));
      await db.raw(
        `UPDATE claims SET entry = :made, version = nextval('lookup_version')
          WHERE domain_id = :domainId AND key = :key AND entry = :entry`,
        { made, domainId: row.domain_id, key: row.key, entry },
      );
    }
    count += rows.length;
    if (rows.length < CHUNK) return count;
  }
}

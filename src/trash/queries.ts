import { type Db, execute, rows } from '../infra/db.ts';
import { byText, type Order, positionSql, type Slice } from '../infra/keyset.ts';
import { currentLimits } from '../infra/limits.ts';
import { sqlSlice } from '../infra/sql-slice.ts';
import type { RecordKind } from '../short-links/model.ts';
import type { TrashRow } from '../short-links/trash.ts';
import { insideSql } from '../workspaces/limits.ts';
import type { Paging } from '../workspaces/lists.ts';

const LATEST_FIRST: Order = {
  keys: [{ sql: 't.deleted_at', type: 'timestamptz' }, byText('t.id')],
  direction: 'desc',
};

/** Columns of the record that a list shows; a whole one can have megabytes. */
const LISTED = `jsonb_build_object('key', t.record->'key', 'title', t.record->'title', 'url', t.record->'url')`;

/** @param record SQL of the record */
const selected = (record: string): string => `
  SELECT t.id, t.kind, t.deleted_at, t.user_id, t.api_key_id, ${record} AS record, t.password, t.tag_ids, t.is_announced,
         u.name AS user_name, d.slug AS domain, ${positionSql(LATEST_FIRST)}
    FROM trash t LEFT JOIN users u ON u.id = t.user_id
    LEFT JOIN domains d ON d.id = t.record->>'domain_id'`;

/** SQL: condition of deleted records inside of the limits of the caller, with its bindings. */
const inside = () => insideSql(currentLimits() ?? {}, (column) => `(t.record->>'${column}')`);

/** Lists a page of the trash, latest first. */
export const listTrash = (
  projectId: string,
  kinds: readonly RecordKind[],
  { page, pageSize, after }: Paging,
): Promise<Slice<TrashRow>> => {
  const [condition, bindings] = inside();
  return sqlSlice<TrashRow>(
    `${selected(LISTED)} WHERE t.project_id = ? AND t.kind = ANY(?) AND ${condition}`,
    [projectId, [...kinds], ...bindings],
    LATEST_FIRST,
    { page, size: pageSize, after },
  );
};

/** Reads and locks a record in the trash. */
export async function lockTrashed(
  trx: Db,
  projectId: string,
  id: string,
): Promise<TrashRow | undefined> {
  const [condition, bindings] = inside();
  const [row] = await rows<TrashRow>(
    trx,
    `${selected('t.record')} WHERE t.project_id = ? AND t.id = ? AND ${condition} FOR UPDATE OF t`,
    [projectId, id, ...bindings],
  );
  return row;
}

/** Locks records in the trash, in the order of all transactions that lock several. */
export async function lockAllTrashed(
  trx: Db,
  projectId: string,
  ids: readonly string[],
): Promise<void> {
  await execute(
    trx,
    'SELECT FROM trash WHERE project_id = ? AND id = ANY(?) ORDER BY id FOR UPDATE',
    [projectId, [...ids]],
  );
}

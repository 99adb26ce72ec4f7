import { type Db, rows } from '../infra/db.ts';
import { byText, type Order, positionSql, type Slice } from '../infra/keyset.ts';
import { sqlSlice } from '../infra/sql-slice.ts';
import type { RecordKind } from '../short-links/model.ts';
import type { TrashRow } from '../short-links/trash.ts';
import type { Paging } from '../workspaces/lists.ts';

const LATEST_FIRST: Order = {
  keys: [{ sql: 't.deleted_at', type: 'timestamptz' }, byText('t.id')],
  direction: 'desc',
};

const SELECTED = `
  SELECT t.id, t.kind, t.deleted_at, t.user_id, t.api_key_id, t.record, t.password, t.tag_ids, t.is_announced,
         u.name AS user_name, d.slug AS domain, ${positionSql(LATEST_FIRST)}
    FROM trash t LEFT JOIN users u ON u.id = t.user_id
    LEFT JOIN domains d ON d.id = t.record->>'domain_id'`;

/** Lists a page of the trash, latest first. */
export const listTrash = (
  projectId: string,
  kinds: readonly RecordKind[],
  { page, pageSize, after }: Paging,
): Promise<Slice<TrashRow>> =>
  sqlSlice<TrashRow>(
    `${SELECTED} WHERE t.project_id = ? AND t.kind = ANY(?)`,
    [projectId, [...kinds]],
    LATEST_FIRST,
    { page, size: pageSize, after },
  );

/** Reads and locks a record in the trash. */
export async function lockTrashed(
  trx: Db,
  projectId: string,
  id: string,
): Promise<TrashRow | undefined> {
  const [row] = await rows<TrashRow>(
    trx,
    `${SELECTED} WHERE t.project_id = ? AND t.id = ? FOR UPDATE OF t`,
    [projectId, id],
  );
  return row;
}

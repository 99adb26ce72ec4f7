import { type Db, db, rows } from '../infra/db.ts';
import { positionSql, type Slice } from '../infra/keyset.ts';
import { sqlSlice } from '../infra/sql-slice.ts';
import { byId, type Paging } from '../workspaces/lists.ts';
import type { StoredChanges } from './history.ts';
import type { ChangeRow } from './history-record.ts';

const NEWEST_FIRST = byId('desc', 'h.id');

/** Lists a page of the history of a record, newest first. */
export const listHistory = (
  projectId: string,
  recordId: string,
  { page, pageSize, after }: Paging,
): Promise<Slice<ChangeRow>> =>
  sqlSlice<ChangeRow>(
    `SELECT h.id, h.at, h.action, h.user_id, h.api_key_id, h.reverted_id, h.changes, u.name AS user_name,
            ${positionSql(NEWEST_FIRST)}
       FROM record_changes h LEFT JOIN users u ON u.id = h.user_id
      WHERE h.project_id = ? AND h.record_id = ?`,
    [projectId, recordId],
    NEWEST_FIRST,
    { page, size: pageSize, after },
  );

/** An entry to revert. */
export interface RevertedEntry {
  id: string;
  action: ChangeRow['action'];
  changes: StoredChanges;
  /** The sealed password before the change. */
  password: string | null;
}

/** Reads an entry of the history of a record. */
export async function findChange(
  { projectId, recordId, changeId }: { projectId: string; recordId: string; changeId: string },
  connection: Db = db(),
): Promise<RevertedEntry | undefined> {
  const [entry] = await rows<RevertedEntry>(
    connection,
    `SELECT id, action, changes, password FROM record_changes
      WHERE project_id = ? AND record_id = ? AND id = ?`,
    [projectId, recordId, changeId],
  );
  return entry;
}

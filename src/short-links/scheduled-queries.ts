import { type Db, db, rows } from '../infra/db.ts';
import { byText, type Order, positionSql, type Slice } from '../infra/keyset.ts';
import { sqlSlice } from '../infra/sql-slice.ts';
import type { Paging } from '../workspaces/lists.ts';
import type { RecordKind } from './model.ts';
import type { ScheduledRow, ScheduledState } from './scheduled-record.ts';

const BY_TIME: Order = {
  keys: [{ sql: 's.at', type: 'timestamptz' }, byText('s.id')],
  direction: 'asc',
};

const SELECTED = `
  SELECT s.id, s.record_id, s.at, s.created_at, s.user_id, s.api_key_id, s.changes, s.password, s.failed_at,
         s.error, u.name AS user_name, ${positionSql(BY_TIME)}
    FROM scheduled_changes s LEFT JOIN users u ON u.id = s.user_id
   WHERE s.project_id = ? AND s.record_id = ? AND s.kind = ?`;

/** A record whose changes are scheduled. */
export interface ScheduledOwner {
  projectId: string;
  kind: RecordKind;
  recordId: string;
}

const bindingsOf = ({ projectId, recordId, kind }: ScheduledOwner) => [projectId, recordId, kind];

/** Lists a page of the scheduled changes of a record, by their time. */
export const listScheduled = (
  owner: ScheduledOwner,
  { status, page, pageSize, after }: Paging & { status?: ScheduledState },
): Promise<Slice<ScheduledRow>> =>
  sqlSlice<ScheduledRow>(
    `${SELECTED} AND (?::text IS NULL OR (s.failed_at IS NULL) = (? = 'pending'))`,
    [...bindingsOf(owner), status ?? null, status ?? null],
    BY_TIME,
    { page, size: pageSize, after },
  );

/** Reads a scheduled change of a record. */
export async function findScheduled(
  owner: ScheduledOwner,
  id: string,
  connection: Db = db(),
): Promise<ScheduledRow | undefined> {
  const [row] = await rows<ScheduledRow>(connection, `${SELECTED} AND s.id = ?`, [
    ...bindingsOf(owner),
    id,
  ]);
  return row;
}

/** Returns true for a record with scheduled changes, even if it was deleted. */
export async function hasScheduled(owner: ScheduledOwner): Promise<boolean> {
  const one = await rows<object>(
    db(),
    'SELECT FROM scheduled_changes WHERE project_id = ? AND record_id = ? AND kind = ? LIMIT 1',
    bindingsOf(owner),
  );
  return one.length > 0;
}

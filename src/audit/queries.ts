import { db, rows } from '../infra/db.ts';
import { orderSql, type Position, positionSql, type Slice, sliceOf } from '../infra/keyset.ts';
import { byId } from '../workspaces/lists.ts';

/** Actor of writes that the operator makes on the command line. */
export const OPERATOR = 'operator';

/** Filters of the audit log, and the start of the page. */
export interface AuditLogQuery {
  /** Id of a user or an API key, or {@link OPERATOR}. */
  actor?: string;
  action?: string[];
  /** Id or kind of the target. */
  target?: string;
  limit: number;
  /** Id of the last row of the previous page. */
  cursor?: string;
  /** Position of the last row of the previous page. */
  after?: Position | undefined;
}

/** A row of the audit log with the person's name. */
export interface AuditRow {
  id: string;
  at: Date;
  action: string;
  target_kind: string;
  target_id: string | null;
  target_count: number | null;
  user_id: string | null;
  user_name: string | null;
  api_key_id: string | null;
  fields: string[] | null;
}

const NEWEST_FIRST = byId('desc', 'a.id');

/** Lists a page of a workspace's audit log, newest first. */
export async function listAuditLog(
  projectId: string,
  { actor, action, target, limit, after, cursor = after?.[0] }: AuditLogQuery,
): Promise<Slice<AuditRow>> {
  const conditions = ['a.project_id = :projectId'];
  if (cursor !== undefined) conditions.push('a.id < :cursor');
  if (actor === OPERATOR) conditions.push('a.user_id IS NULL');
  else if (actor !== undefined) {
    conditions.push('(a.user_id = :actor OR a.api_key_id = :actor)');
  }
  if (action !== undefined) conditions.push('a.action = ANY(:action)');
  if (target !== undefined) conditions.push('(a.target_id = :target OR a.target_kind = :target)');
  const entries = await rows<AuditRow>(
    db(),
    `SELECT a.*, ${positionSql(NEWEST_FIRST)}, u.name AS user_name FROM audit_log a LEFT JOIN users u ON u.id = a.user_id
      WHERE ${conditions.join(' AND ')} ORDER BY ${orderSql(NEWEST_FIRST)} LIMIT :limit`,
    {
      projectId,
      limit: limit + 1,
      cursor: cursor ?? null,
      actor: actor ?? null,
      action: action ?? null,
      target: target ?? null,
    },
  );
  return sliceOf(entries, limit);
}

import { db, rows } from '../infra/db.ts';
import { currentLimits } from '../infra/limits.ts';
import { insideSql } from '../workspaces/limits.ts';

/**
 * Lists the ids of the links and QR codes inside of the current limits; `undefined` without limits.
 *
 * @param id the only record to list, if it is inside
 */
export async function listInside(projectId: string, id?: string): Promise<string[] | undefined> {
  const limits = currentLimits();
  if (limits === undefined) return undefined;
  const [inside, bindings] = insideSql(limits, (column) => column);
  const condition = `project_id = ? AND ${inside}${id === undefined ? '' : ' AND id = ?'}`;
  const values = [projectId, ...bindings, ...(id === undefined ? [] : [id])];
  const records = await rows<{ id: string }>(
    db(),
    `SELECT id FROM links WHERE ${condition} UNION ALL SELECT id FROM qrcodes WHERE ${condition}`,
    [...values, ...values],
  );
  return records.map((record) => record.id);
}

import { db, rows } from '../infra/db.ts';
import { currentLimits } from '../infra/limits.ts';
import { insideSql } from '../workspaces/limits.ts';

/**
 * Lists the ids of the links and QR codes inside of the current limits; `undefined` without limits.
 */
export async function listInside(projectId: string): Promise<string[] | undefined> {
  const limits = currentLimits();
  if (limits === undefined) return undefined;
  const [inside, bindings] = insideSql(limits, (column) => column);
  const records = await rows<{ id: string }>(
    db(),
    `SELECT id FROM links WHERE project_id = ? AND ${inside}
      UNION ALL SELECT id FROM qrcodes WHERE project_id = ? AND ${inside}`,
    [projectId, ...bindings, projectId, ...bindings],
  );
  return records.map(({ id }) => id);
}

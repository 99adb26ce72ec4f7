import { db, rows } from '../../infra/db.ts';
import type { Traffic } from '../kinds.ts';

/** Reads which visits the numbers of a workspace are about, unless a request says otherwise. */
export async function countedTraffic(projectId: string): Promise<Traffic> {
  const [row] = await rows<{ countSuspects: boolean }>(
    db(),
    'SELECT count_suspects AS "countSuspects" FROM workspaces WHERE id = ?',
    [projectId],
  );
  return row?.countSuspects === true ? 'all' : 'person';
}

import { isTimeout } from '../../../infra/db.ts';
import type { Log } from '../../../infra/log.ts';
import { isOutage } from '../../../infra/outage.ts';

/**
 * Runs `work` for workspaces in turn. One that fails is logged, and does not keep the others from theirs.
 *
 * @throws the error of a query where the database cannot work at all
 */
export async function eachWorkspace<Workspace extends { id: string }>(
  workspaces: readonly Workspace[],
  work: (workspace: Workspace) => Promise<void>,
  log: Log,
): Promise<void> {
  for (const workspace of workspaces) {
    try {
      await work(workspace);
    } catch (error) {
      if (isOutage(error) && !isTimeout(error)) throw error;
      log.error({ projectId: workspace.id, err: error }, 'upkeep of a workspace failed');
    }
  }
}

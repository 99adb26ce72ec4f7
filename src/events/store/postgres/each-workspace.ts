import { isTimeout } from '../../../infra/db.ts';
import type { Log } from '../../../infra/log.ts';
import { isOutage } from '../../../infra/outage.ts';

/**
 * Runs `work` for workspaces in turn. A failure is logged and does not stop the others.
 *
 * @throws the error of a query if the database is unavailable
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

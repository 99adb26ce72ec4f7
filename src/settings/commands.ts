import { refuseChanged } from '../http/etag.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import type { JobContext } from '../queues/definition.ts';
import { handlers } from '../queues/job.ts';
import { changeWorkspace } from '../workspaces/commands.ts';
import type { WorkspaceChanges } from './jobs.ts';
import { settingsJobs } from './jobs.ts';
import { announceLimit } from './limits.ts';
import { readSettings, readUsage } from './queries.ts';
import { toWorkspace, type WorkspaceRecord } from './record.ts';

/** Changes the settings of the job's workspace. */
export function changeSettings(
  { changes }: { changes: WorkspaceChanges },
  { projectId, ...job }: JobContext,
): Promise<WorkspaceRecord> {
  return runIdempotent({ projectId, ...job }, async (trx, publish) => {
    await trx('workspaces').where({ id: projectId }).forNoKeyUpdate().first('id');
    refuseChanged(job.ifMatch, toWorkspace(await readSettings(projectId, trx)));
    publish(await changeWorkspace(trx, projectId, changes));
    const record = toWorkspace(await readSettings(projectId, trx));
    return { ...record, usage: await readUsage(projectId) };
  });
}

export const settingsHandlers = handlers(settingsJobs, {
  'workspace.update': changeSettings,
  'limit.announce': announceLimit,
});

import { refuseChanged } from '../http/etag.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import { handlers } from '../queues/job.ts';
import { changeWorkspace } from '../workspaces/commands.ts';
import { settingsJobs } from './jobs.ts';
import { announceLimit } from './limits.ts';
import { readSettings, readUsage } from './queries.ts';
import { toWorkspace } from './record.ts';

export const settingsHandlers = handlers(settingsJobs, {
  /** Changes the settings of the job's workspace. */
  'workspace.update': ({ changes }, job) =>
    runIdempotent(job, async (trx, publish) => {
      const { projectId } = job;
      await trx('workspaces').where({ id: projectId }).forNoKeyUpdate().first('id');
      refuseChanged(job.ifMatch, toWorkspace(await readSettings(projectId, trx)));
      publish(await changeWorkspace(trx, projectId, changes));
      const record = toWorkspace(await readSettings(projectId, trx));
      return { ...record, usage: await readUsage(projectId) };
    }),
  'limit.announce': announceLimit,
});

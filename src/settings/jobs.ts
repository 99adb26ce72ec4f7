import { writes } from '../queues/index.ts';
import { changes, job, jobsOf } from '../queues/job.ts';
import type { WorkspaceSettings } from '../workspaces/commands.ts';
import type { WorkspaceRecord } from './record.ts';

/** Settings that owners can change; plan and limits are for the operator. */
export type WorkspaceChanges = Pick<
  WorkspaceSettings,
  | 'name'
  | 'clickDedupeSeconds'
  | 'queryConflict'
  | 'clickIdParameter'
  | 'keepFullIp'
  | 'excludedIps'
  | 'countSuspects'
  | 'trackEvents'
  | 'requireSecondFactor'
  | 'logo'
  | 'brandColor'
  | 'brandName'
  | 'utmRules'
>;

/** A limit, and the share of it that a workspace has used. */
export interface ReachedLimit {
  limit: 'requestsPerMinute';
  percent: 80 | 100;
  most: number;
  at: string;
}

export const settingsJobs = jobsOf(writes, {
  'workspace.update': job<{ changes: WorkspaceChanges }, WorkspaceRecord>({
    audit: changes('workspace'),
  }),
  'limit.announce': job<ReachedLimit>(),
});

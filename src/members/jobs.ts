import { writes } from '../queues/index.ts';
import { changes, job, jobsOf } from '../queues/job.ts';
import type { StoredLimits } from '../workspaces/limits.ts';
import type { Role } from '../workspaces/roles.ts';
import type { MemberRecord } from './record.ts';

/** The fields of a member to change. */
export interface MemberChanges {
  role?: Role;
  /** `null`: none. */
  limits?: StoredLimits | null;
}

export const memberJobs = jobsOf(writes, {
  'member.update': job<{ userId: string; changes: MemberChanges }, MemberRecord>({
    audit: changes('member'),
  }),
  'member.remove': job<{ userId: string }, { id: string }>({ audit: changes('member') }),
});

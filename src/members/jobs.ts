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

/** The data of a job that changes a member. */
export interface UpdateMember {
  userId: string;
  changes: MemberChanges;
  /** Scopes of the caller; absent in jobs of earlier releases. */
  callerScopes?: readonly string[];
}

export const memberJobs = jobsOf(writes, {
  'member.update': job<UpdateMember, MemberRecord>({ audit: changes('member') }),
  'member.remove': job<{ userId: string }, { id: string }>({ audit: changes('member') }),
});

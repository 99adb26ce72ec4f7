import { writes } from '../queues/index.ts';
import { changes, job, jobsOf } from '../queues/job.ts';
import type { Role } from '../workspaces/roles.ts';
import type { MemberRecord } from './record.ts';

export const memberJobs = jobsOf(writes, {
  'member.update': job<{ userId: string; changes: { role: Role } }, MemberRecord>({
    audit: changes('member'),
  }),
  'member.remove': job<{ userId: string }, { id: string }>({ audit: changes('member') }),
});

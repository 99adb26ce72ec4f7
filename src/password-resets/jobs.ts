import { writes } from '../queues/index.ts';
import { job, jobsOf } from '../queues/job.ts';

/** A new password for the account of a token. */
export interface ResetCompletion {
  /** SHA-256 of the token. */
  hash: string;
  passwordHash: string;
}

export const passwordResetJobs = jobsOf(writes, {
  'passwordReset.create': job<{ email: string }>(),
  'passwordReset.complete': job<ResetCompletion, { userId: string }>(),
});

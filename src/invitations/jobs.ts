import { maintenance, writes } from '../queues/index.ts';
import { changes, HOUR_MS, job, jobsOf, scheduled } from '../queues/job.ts';
import type { NewSession } from '../users/jobs.ts';
import type { StoredLimits } from '../workspaces/limits.ts';
import type { Role } from '../workspaces/roles.ts';
import type { InvitationWithUrl } from './record.ts';

/** Data of a job by which a person joins the workspace of an invitation. */
export interface AcceptInvitation {
  /** SHA-256 of the token. */
  hash: string;
  userId: string;
  /** Data of an account that is created or starts over, and of its first session. */
  account?: { name: string; passwordHash: string; session: NewSession };
}

/** Data of a job that creates an invitation. */
export interface CreateInvitation {
  id: string;
  email: string;
  role: Role;
  limits?: StoredLimits | null;
  invitedBy: string;
  /** SHA-256 of the token. */
  hash: string;
  /** Sealed address, for the mail or, without a mail server, for the answer. */
  url: string;
}

/** Data of a job that sends another link of an invitation. */
export interface ResendInvitation {
  id: string;
  /** The person who resends it. */
  resentBy: string;
  /** As in {@link CreateInvitation}, of the new token. */
  hash: string;
  url: string;
}

export const invitationJobs = jobsOf(writes, {
  /** The address is sealed; the hash of its token is stored. */
  'invitation.create': job<CreateInvitation, InvitationWithUrl>({ audit: changes('invitation') }),
  'invitation.resend': job<ResendInvitation, InvitationWithUrl>({ audit: changes('invitation') }),
  'invitation.delete': job<{ id: string }, { id: string }>({ audit: changes('invitation') }),
  'invitation.accept': job<AcceptInvitation, { userId: string }>({ audit: changes('member') }),
});

export const invitationMaintenanceJobs = jobsOf(maintenance, {
  'invitations.prune': scheduled({ everyMs: HOUR_MS }),
});

import { maintenance, writes } from '../queues/index.ts';
import { changes, HOUR_MS, job, jobsOf, scheduled } from '../queues/job.ts';
import type { Language } from './languages.ts';
import type { Identity } from './oidc.ts';
import type { Membership } from './record.ts';

/** Ways to sign in. */
export type SignInMethod = 'password' | 'link' | 'oidc' | 'invitation' | 'passkey';

/** Second factors of a sign-in. */
export type SecondFactor = 'totp' | 'recovery' | 'provider' | 'passkey';

/** A new session. */
export interface NewSession {
  id: string;
  /** SHA-256 of its token. */
  hash: string;
  method: SignInMethod;
  /** Absent for a sign-in without one. */
  secondFactor?: SecondFactor | undefined;
  /** Passkey of the sign-in. */
  passkeyId?: string | undefined;
  userAgent: string;
  network: string;
  /** Hash of the browser's previous session, which ends. */
  replaces?: string | undefined;
}

/** A sign-in with a verified password. */
export interface SignIn {
  userId: string;
  /** Version of the password: a changed password ends the sign-in. */
  passwordVersion: number;
  session: NewSession;
}

/** A sign-in with a one-time link, by the hash of its token. */
export interface LinkSignIn {
  hash: string;
  session: NewSession;
}

/** A person who has signed in, or who needs a second factor and has no session yet. */
export interface SignedIn {
  userId: string;
  needsSecondFactor: boolean;
}

/** The sessions of a person to end, except one. */
export interface OtherSessions {
  userId: string;
  keptId: string;
  /** Time of the request, so that a repeated job counts the same sessions. */
  at: string;
}

/** A change of one's own account. */
export interface UserChanges extends OtherSessions {
  name?: string | undefined;
  language?: Language | null | undefined;
  password?:
    | {
        hash: string;
        /** Version of the current password. */
        version: number;
      }
    | undefined;
}

/** A sign-in with an account at an OpenID Connect provider. */
export interface IdentitySignIn {
  identity: Identity;
  session: NewSession;
  /** Time of the request; absent in jobs of versions before roles by groups. */
  at?: string | undefined;
}

/** A workspace that a person creates. */
export interface OwnWorkspace {
  id: string;
  slug: string;
  name: string;
  userId: string;
}

export const userJobs = jobsOf(writes, {
  'session.create': job<SignIn, SignedIn>(),
  'session.createByLink': job<LinkSignIn, SignedIn>(),
  'session.end': job<{ hash: string }>(),
  'session.endOwn': job<{ userId: string; id: string }, { id: string }>(),
  'session.endOthers': job<OtherSessions, { deletedCount: number }>(),
  'session.used': job<{ id: string; at: string }>(),
  'user.update': job<UserChanges>(),
});

export const identityJobs = jobsOf(writes, {
  'session.createByIdentity': job<IdentitySignIn, SignedIn>(),
});

export const ownWorkspaceJobs = jobsOf(writes, {
  'workspace.create': job<OwnWorkspace, Membership>({ audit: changes('workspace') }),
});

export const userMaintenanceJobs = jobsOf(maintenance, {
  'sessions.prune': scheduled({ everyMs: HOUR_MS }),
});

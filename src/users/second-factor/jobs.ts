import { writes } from '../../queues/index.ts';
import { job, jobsOf } from '../../queues/job.ts';
import type { NewSession, OtherSessions } from '../jobs.ts';

/** A checked code: the time step of one by the app, or the hash of a recovery code. */
export type FactorProof = { kind: 'totp'; step: number } | { kind: 'recovery'; hash: string };

/** The first step of a sign-in, which waits for the second factor. */
export interface FirstStep {
  userId: string;
  method: NewSession['method'];
  /** Version of the password with which the person signed in. */
  passwordVersion?: number | undefined;
  /** Hash of the token of the one-time link with which the person signs in. */
  linkHash?: string | undefined;
}

/** A sign-in with a second factor. */
export interface SecondStep {
  first: FirstStep;
  proof: FactorProof;
  session: NewSession;
}

/** An authenticator app to add; all sessions of the person end, except one. */
export interface NewFactor extends OtherSessions {
  /** Version of the password that the person has sent. */
  passwordVersion: number;
  /** Sealed. */
  secret: string;
  /** Time step of the code with which the person has confirmed it. */
  step: number;
  /** Hashes of the recovery codes. */
  hashes: string[];
}

/** A change of the second factor of a person, confirmed with a code. */
export interface FactorChange {
  userId: string;
  proof: FactorProof;
  /** Time of the request. */
  at: string;
}

export const secondFactorJobs = jobsOf(writes, {
  'session.createBySecondFactor': job<SecondStep>(),
  'secondFactor.create': job<NewFactor>(),
  'secondFactor.delete': job<FactorChange>(),
  'recoveryCodes.create': job<FactorChange & { hashes: string[] }>(),
});

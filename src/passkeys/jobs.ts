import { writes } from '../queues/index.ts';
import { job, jobsOf } from '../queues/job.ts';
import type { NewSession } from '../users/jobs.ts';
import type { FactorProof } from '../users/second-factor/jobs.ts';
import type { PasskeyRecord } from './record.ts';

/** A change of the passkeys of a person who has confirmed their identity. */
export interface ConfirmedChange {
  userId: string;
  /** Session of the change. */
  sessionId: string;
  /** Version of the password with which the person has confirmed it. */
  passwordVersion: number;
  /** Code with which the person has confirmed it; absent without an authenticator app. */
  proof?: FactorProof | undefined;
  /** Time of the request. */
  at: string;
}

/** A passkey to add. */
export interface NewPasskey extends ConfirmedChange {
  id: string;
  name: string;
  /** SHA-256 of the challenge that it has signed. */
  challenge: string;
  credentialId: string;
  /** COSE key, in base64. */
  publicKey: string;
  signCount: number;
  transports: string[];
  isSynced: boolean;
}

/** A sign-in with the verified signature of a passkey. */
export interface PasskeySignIn {
  userId: string;
  passkeyId: string;
  /** SHA-256 of the challenge that it has signed. */
  challenge: string;
  signCount: number;
  isSynced: boolean;
  session: NewSession;
}

export const passkeyJobs = jobsOf(writes, {
  'passkey.create': job<NewPasskey, PasskeyRecord>(),
  'passkey.update': job<{ userId: string; id: string; name: string }, PasskeyRecord>(),
  'passkey.delete': job<ConfirmedChange & { id: string }>(),
  'session.createByPasskey': job<PasskeySignIn>(),
});

import { writes } from '../queues/index.ts';
import { changes, job, jobsOf } from '../queues/job.ts';
import type { StoredLimits } from '../workspaces/limits.ts';
import type { KeyRecord, KeyWithSecret } from './record.ts';
import type { KeyChanges } from './schema.ts';

/** The data of a job that creates a key. */
export interface CreateKey extends NewKeyParts {
  id: string;
  name: string;
  userId: string;
  scopes: readonly string[];
  limits?: StoredLimits | null;
  /** Set for a publishable key. */
  origins?: readonly string[] | undefined;
  expiresAt?: string;
  yourlsSignatures?: boolean;
}

/** The data of a job that changes a key. */
export interface UpdateKey {
  id: string;
  changes: KeyChanges;
  /** Scopes of the caller; absent in jobs of earlier releases. */
  callerScopes?: readonly string[];
}

/** The data of a job that replaces a key. */
export interface RotateKey extends NewKeyParts {
  id: string;
  /** Scopes of the caller, who receives the new key. */
  callerScopes: readonly string[];
}

/** A new key in its job. */
export interface NewKeyParts {
  /** The sealed key, for the answer, and for keys with `yourlsSignatures`. */
  key: string;
  hash: string;
  hint: string;
  /** The key itself, only of a publishable key. */
  publicKey?: string | undefined;
}

export const keyJobs = jobsOf(writes, {
  /** The key is sealed; only its hash is stored, unless it has `yourlsSignatures`. */
  'apiKey.create': job<CreateKey, KeyWithSecret>({ audit: changes('apiKey') }),
  'apiKey.update': job<UpdateKey, KeyRecord>({ audit: changes('apiKey') }),
  'apiKey.rotate': job<RotateKey, KeyWithSecret>({ audit: changes('apiKey') }),
  'apiKey.revoke': job<{ id: string }, { id: string }>({ audit: changes('apiKey') }),
});

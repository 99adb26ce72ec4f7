import { maintenance, writes } from '../queues/index.ts';
import { changes, HOUR_MS, job, jobsOf, scheduled } from '../queues/job.ts';

/** A new client. */
export interface NewClient {
  id: string;
  name: string;
  redirectUris: string[];
}

/** The consent of a person, with the hash of the code for their client. */
export interface Consent {
  id: string;
  clientId: string;
  userId: string;
  scopes: string[];
  redirectUri: string;
  codeChallenge: string;
  codeHash: string;
}

/** The stored parts of the tokens that a client receives. */
export interface NewTokens {
  /** Hash and first characters of the access token, which is an API key. */
  hash: string;
  hint: string;
  /** Hash of the refresh token. */
  refreshHash: string;
}

/** The exchange of a code. */
export interface Exchange extends NewTokens {
  grantId: string;
  keyId: string;
  /** Hash of the first half of all refresh tokens of the grant. */
  familyHash: string;
}

/** The exchange of a refresh token. */
export interface Renewal extends NewTokens {
  grantId: string;
  /** Hash of the refresh token that the client sent. */
  sentHash: string;
}

/**
 * Result of an exchange. With `count: 0` the code or the refresh token had been used before, and
 * its key is revoked.
 */
export type Exchanged = { id: string; scopes: string[] } | { count: 0 };

export const oauthJobs = jobsOf(writes, {
  'oauth.register': job<NewClient>(),
  'oauth.consent': job<Consent, { id: string }>(),
  'apiKey.authorize': job<Exchange, Exchanged>({ audit: changes('apiKey') }),
  'apiKey.renew': job<Renewal, Exchanged>(),
});

export const oauthMaintenanceJobs = jobsOf(maintenance, {
  'oauth.prune': scheduled({ everyMs: HOUR_MS }),
});

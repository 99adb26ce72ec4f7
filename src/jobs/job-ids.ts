import { createHmac } from 'node:crypto';
import { newId, timeOfId } from '../ids.ts';
import { canonicalJson } from '../infra/canonical.ts';
import { lastingKeyFor } from '../infra/keys.ts';
import { isEqual, signLasting } from '../infra/secrets.ts';
import type { Caller } from '../workspaces/api-keys.ts';

/** Time for which an accepted job may be unknown to every store, in ms. */
export const UNSETTLED_MS = 15 * 60_000;

/** Length of a signature by `sign`. */
const SIGNATURE_LENGTH = 22;
/** Maximum clock difference between two API processes, in ms. */
const CLOCKS_MS = 60_000;

/** The owner of a job: a workspace, and the API key or the signed-in person of the request. */
export type JobOwner = Pick<Caller, 'projectId' | 'apiKeyId' | 'userId' | 'limits'>;

/** Identifies the caller. Results of jobs under other limits are those of another caller. */
const writerOf = ({ apiKeyId, userId, limits }: JobOwner): string => {
  const writer = apiKeyId === '' ? userId : apiKeyId;
  return limits === undefined ? writer : `${writer}\n${canonicalJson(limits)}`;
};

/*
 * Ids of jobs that callers see are signed: a job on its way into Redis is in no store, and every
 * API process must tell an issued id from an invented one.
 */

/** Creates the id of a job, which later proves the key or person that sent it. */
export function newJobId(owner: JobOwner): string {
  return signed(owner, newId('job'));
}

/**
 * The id for the job of a request with an Idempotency-Key: the same for every repeat by the same
 * key or person, so that the job's row, written in the transaction of its effects, makes them
 * happen once. Another caller with the same Idempotency-Key gets another job.
 */
export function keyedJobId(owner: JobOwner, idempotencyKey: string): string {
  const { projectId } = owner;
  return signed(owner, keyedId(`${projectId}\n${writerOf(owner)}\n${idempotencyKey}`));
}

/**
 * The id that version 0.5 and earlier gave to the job of an Idempotency-Key: the same for all
 * callers of a workspace. It identifies repeats of requests from before the upgrade.
 */
export function earlierKeyedJobId(projectId: string, idempotencyKey: string): string {
  const id = keyedId(`${projectId}\n${idempotencyKey}`);
  return id + signLasting('job id', `${projectId} ${id}`);
}

const keyedId = (text: string): string => {
  const hash = createHmac('sha256', lastingKeyFor('idempotency key')).update(text);
  return `job_${hash.digest('base64url').slice(0, 24)}`;
};

/** True when this key or person sent the job, and the id was issued for it. */
export const isJobOf = (owner: JobOwner, jobId: string): boolean =>
  isEqual(jobId, signed(owner, jobId.slice(0, -SIGNATURE_LENGTH)));

/**
 * True when a job id contains a recent time; that of a request with an Idempotency-Key contains
 * none.
 */
export function isRecentJobId(jobId: string): boolean {
  const age = Date.now() - timeOfId(jobId);
  return age > -CLOCKS_MS && age < UNSETTLED_MS;
}

/** Appends half of a signature for the workspace and half of one for the sender. */
const signed = (owner: JobOwner, id: string): string =>
  id +
  halfOf(signLasting('job id', `${owner.projectId} ${id}`)) +
  halfOf(signLasting('job key', `${writerOf(owner)} ${id}`));

/** The first 66 bits of a signature. */
const halfOf = (signature: string): string => signature.slice(0, SIGNATURE_LENGTH / 2);

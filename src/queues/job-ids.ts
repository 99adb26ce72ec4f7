import { createHmac, timingSafeEqual } from 'node:crypto';
import { newId, timeOfId } from '../ids.ts';
import { lastingKeyFor } from '../infra/keys.ts';
import { signLasting } from '../infra/secrets.ts';
import type { Caller } from '../workspaces/api-keys.ts';

/** Time for which an accepted job may be unknown to every store, in ms. */
export const UNSETTLED_MS = 15 * 60_000;

/** Length of what `sign` makes. */
const SIGNATURE_LENGTH = 22;
/** Largest clock difference between two API processes, in ms. */
const CLOCKS_MS = 60_000;

/** The owner of a job: a workspace and the API key of the request, or the person whose session it had. */
type JobOwner = Pick<Caller, 'projectId' | 'apiKeyId' | 'userId'>;

const writerOf = ({ apiKeyId, userId }: JobOwner): string => (apiKeyId === '' ? userId : apiKeyId);

/*
 * Ids of jobs that callers hear of are signed: a job may be on its way into Redis while no store knows it, and every
 * API process can tell an id that was given out from one that was made up.
 */

/** The id of a job of a workspace, by which it is known again which key, or person, wrote it. */
export function newJobId(owner: JobOwner): string {
  const id = newId('job');
  const ofWorkspace = signLasting('job id', `${owner.projectId} ${id}`);
  return id + halfOf(ofWorkspace) + halfOf(signLasting('job key', `${writerOf(owner)} ${id}`));
}

/**
 * The id of the job of a request with an Idempotency-Key: the same for every repeat, so that the row of the job, which
 * is written in the transaction of its effects, is what makes them happen once.
 */
export function keyedJobId(projectId: string, idempotencyKey: string): string {
  const hash = createHmac('sha256', lastingKeyFor('idempotency key'));
  hash.update(`${projectId}\n${idempotencyKey}`);
  return signed(projectId, `job_${hash.digest('base64url').slice(0, 24)}`);
}

/** True when a job of the workspace was ever given this id. */
export function isJobId(projectId: string, jobId: string): boolean {
  const { id, signature } = partsOf(jobId);
  return isEqual(halfOf(signature), halfOf(signLasting('job id', `${projectId} ${id}`)));
}

/**
 * True when a job was written with this key, or by this person. The id of a request with an Idempotency-Key is the same for all keys of the
 * workspace: only those that sent the request were given it.
 */
export function isJobOf(owner: JobOwner, jobId: string): boolean {
  const { id, signature } = partsOf(jobId);
  const ofWorkspace = signLasting('job id', `${owner.projectId} ${id}`);
  if (isEqual(signature, ofWorkspace)) return true;
  const ofKey = halfOf(ofWorkspace) + halfOf(signLasting('job key', `${writerOf(owner)} ${id}`));
  return isEqual(signature, ofKey);
}

/** True when a job id says that it was made a short while ago; that of a request with an Idempotency-Key says nothing. */
export function isRecentJobId(jobId: string): boolean {
  const age = Date.now() - timeOfId(jobId);
  return age > -CLOCKS_MS && age < UNSETTLED_MS;
}

const signed = (projectId: string, id: string): string => id + signLasting('job id', `${projectId} ${id}`);

const partsOf = (jobId: string) => ({
  id: jobId.slice(0, -SIGNATURE_LENGTH),
  signature: jobId.slice(-SIGNATURE_LENGTH),
});

/** 66 bits of a signature. */
const halfOf = (signature: string): string => signature.slice(0, SIGNATURE_LENGTH / 2);

function isEqual(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

import { createHmac } from 'node:crypto';
import { newId, timeOfId } from '../ids.ts';
import { lastingKeyFor } from '../infra/keys.ts';
import { isEqual, signLasting } from '../infra/secrets.ts';
import type { Caller } from '../workspaces/api-keys.ts';

/** Time for which an accepted job may be unknown to every store, in ms. */
export const UNSETTLED_MS = 15 * 60_000;

/** Length of what `sign` makes. */
const SIGNATURE_LENGTH = 22;
/** Largest clock difference between two API processes, in ms. */
const CLOCKS_MS = 60_000;

/** The owner of a job: a workspace and the API key of the request, or the person whose session it had. */
export type JobOwner = Pick<Caller, 'projectId' | 'apiKeyId' | 'userId'>;

const writerOf = ({ apiKeyId, userId }: JobOwner): string => (apiKeyId === '' ? userId : apiKeyId);

/*
 * Ids of jobs that callers hear of are signed: a job may be on its way into Redis while no store knows it, and every
 * API process can tell an id that was given out from one that was made up.
 */

/** The id of a job of a workspace, by which it is known again which key, or person, wrote it. */
export function newJobId(owner: JobOwner): string {
  return signed(owner, newId('job'));
}

/**
 * The id of the job of a request with an Idempotency-Key: the same for every repeat by the same key or person, so that the
 * row of the job, which is written in the transaction of its effects, is what makes them happen once. Another caller who
 * sends the same Idempotency-Key gets another job.
 */
export function keyedJobId(owner: JobOwner, idempotencyKey: string): string {
  const { projectId } = owner;
  return signed(owner, keyedId(`${projectId}\n${writerOf(owner)}\n${idempotencyKey}`));
}

/**
 * The id that version 0.5 and earlier gave to the job of an Idempotency-Key: one for all callers of a workspace. A repeat
 * of a request that was sent before the upgrade is known by it.
 */
export function earlierKeyedJobId(projectId: string, idempotencyKey: string): string {
  const id = keyedId(`${projectId}\n${idempotencyKey}`);
  return id + signLasting('job id', `${projectId} ${id}`);
}

const keyedId = (text: string): string => {
  const hash = createHmac('sha256', lastingKeyFor('idempotency key')).update(text);
  return `job_${hash.digest('base64url').slice(0, 24)}`;
};

/** True when a job was sent with this key, or by this person, and this id was given to it. */
export const isJobOf = (owner: JobOwner, jobId: string): boolean =>
  isEqual(jobId, signed(owner, jobId.slice(0, -SIGNATURE_LENGTH)));

/** True when a job id says that it was made a short while ago; that of a request with an Idempotency-Key says nothing. */
export function isRecentJobId(jobId: string): boolean {
  const age = Date.now() - timeOfId(jobId);
  return age > -CLOCKS_MS && age < UNSETTLED_MS;
}

/** An id with half a signature for its workspace, and half of one for its sender. */
const signed = (owner: JobOwner, id: string): string =>
  id +
  halfOf(signLasting('job id', `${owner.projectId} ${id}`)) +
  halfOf(signLasting('job key', `${writerOf(owner)} ${id}`));

/** 66 bits of a signature. */
const halfOf = (signature: string): string => signature.slice(0, SIGNATURE_LENGTH / 2);

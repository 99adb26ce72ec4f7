import { UnrecoverableError } from 'bullmq';
import type { Limits } from '../infra/limits.ts';
import type { Log } from '../infra/log.ts';

/*
 * The types of queues and jobs. Only this folder imports BullMQ. The way of a job:
 *
 *   producer.add ──▶ Redis ──▶ worker runs the handler ──▶ reply on the producer's own channel
 *
 * - A refusal (such as a taken key) is a result and ends the job; a fault is thrown and retried.
 * - A job may run twice: a worker that dies loses its lock after LOCK_MS, and another takes the job
 *   over. Handlers make their effects happen once (`jobs/run-idempotent.ts`).
 * - One tenant cannot fill the slots of a worker (`slots.ts`): its further jobs wait for its
 *   running ones.
 * - Redis keeps nothing of a job that succeeded: its durable result is a row in Postgres. A job
 *   that failed for good stays as a dead letter.
 */

/** A queue, imported by its producers and its worker. */
export interface QueueDefinition {
  readonly name: string;
  /** Number of attempts of a faulty job, with pauses of 250 ms, 500 ms, 1 s … in between. */
  readonly attempts: number;
  /** Maximum pause before another attempt, in ms. */
  readonly maxPauseMs: number;
  /**
   * True if jobs that failed for good stay as dead letters; false if their ids must become free.
   */
  readonly keepFailed: boolean;
  /** True if QUEUE_SHARDS spreads its jobs (`shards.ts`). */
  readonly isSharded: boolean;
  /** Number of the shard; `undefined` for the queue itself. */
  readonly shard?: number;
}

/** Name and shard of a queue. */
export type QueueId = Pick<QueueDefinition, 'name' | 'shard'> & {
  readonly isSharded?: boolean;
};

/** Defines a queue. */
export function defineQueue(
  name: string,
  options: Pick<QueueDefinition, 'attempts'> &
    Partial<Pick<QueueDefinition, 'maxPauseMs' | 'keepFailed' | 'isSharded'>>,
): QueueDefinition {
  return { name, maxPauseMs: 15_000, keepFailed: true, isSharded: false, ...options };
}

/** The Idempotency-Key of a request. */
export interface Keyed {
  /** Keyed hash of the contents of the request. */
  fingerprint: string;
  /** Distinguishes the request from its repeats. */
  request: string;
}

/** The person, and the API key if any, for whom a job writes. */
export interface Actor {
  userId: string;
  apiKeyId?: string | undefined;
  limits?: Limits | undefined;
}

/**
 * Rule for the row of the audit log that a job adds: the kind of its record, and whether the id is
 * in its result or its data.
 */
export interface AuditRule {
  readonly kind: string;
  readonly by: 'result' | 'data';
}

/** ETags of the states of a record to which a write applies; `*` for any state. */
export type IfMatch = '*' | string[];

/** The request that caused a job. */
export interface JobOrigin {
  /** The workspace of the job; empty for the service's own jobs. */
  projectId: string;
  /** Tenant whose share of the slots the job uses, if that is not its workspace. */
  tenant?: string | undefined;
  requestId?: string | undefined;
  actor?: Actor | undefined;
  replyTo?: string | undefined;
  /** The request's Idempotency-Key: an earlier job with the same id may be its own. */
  keyed?: Keyed | undefined;
  /** ETags of the record's states to which the write applies (`refuseChanged`). */
  ifMatch?: IfMatch | undefined;
  /** Time at which the job was accepted, if it was added later, in ms since 1970. */
  acceptedAt?: number | undefined;
}

/** The context of a running job. */
export interface JobContext
  extends Pick<JobOrigin, 'projectId' | 'actor' | 'keyed' | 'ifMatch' | 'acceptedAt'> {
  jobId: string;
  /** Number of the shard from which the job was taken; `undefined` for the queue itself. */
  shard?: number | undefined;
  /** Data that was added to the job while it waited, in no particular order. */
  further?: readonly unknown[] | undefined;
  /** The job as the audit log sees it; `undefined` if the service runs a command without a job. */
  task?: { name: string; data: unknown; audit?: AuditRule | undefined } | undefined;
  /** True if this job may have run before, partly or completely. */
  isRepeat: boolean;
  /**
   * Number of times that a worker has started the job, including this one; `undefined` if the
   * service runs a command without a job.
   */
  starts?: number | undefined;
  /** True if a fault of this run makes the job a dead letter. */
  isLastAttempt?: boolean | undefined;
  log: Log;
}

/** Default delay of a postponed job, or one that timed out on a database lock, in ms. */
export const POSTPONED_MS = 2_000;

/**
 * Thrown by a handler that cannot do its job now: it runs again soon, without counting as an
 * attempt.
 */
export class Postponed extends Error {
  readonly delayMs: number;

  /** @param delayMs time until the job runs again */
  constructor(message: string, delayMs = POSTPONED_MS) {
    super(message);
    this.delayMs = delayMs;
  }
}

/**
 * Thrown by a handler when no further attempt can succeed: the job becomes a dead letter at once.
 */
export class PermanentFailure extends UnrecoverableError {}

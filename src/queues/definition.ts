import { UnrecoverableError } from 'bullmq';
import type { Log } from '../infra/log.ts';

/*
 * The only folder that imports BullMQ. A job travels like this:
 *
 *   producer.add ──▶ Redis ──▶ worker runs the handler ──▶ reply on the producer's own channel
 *
 * - A refusal (a taken key, say) is a result and ends the job; a fault is thrown and tried again.
 * - Jobs may run twice: a worker that dies loses its lock after LOCK_MS and another takes the job over.
 *   Handlers make their effects happen once (`jobs/run-idempotent.ts`).
 * - One tenant cannot fill the slots of a worker (`slots.ts`): its further jobs wait until some of its own have ended.
 * - Nothing is kept in Redis of a job that ended well: its durable result is a row in Postgres. A job that
 *   failed for good stays as a dead letter.
 */

/** A queue. Producer and worker both import it. */
export interface QueueDefinition {
  readonly name: string;
  /** Attempts of a job that meets faults, with pauses of 250 ms, 500 ms, 1 s … in between. */
  readonly attempts: number;
  /** Longest pause before another attempt, in ms. */
  readonly longestPauseMs: number;
  /** True if jobs that failed for good are kept as dead letters; false where their ids must be free again. */
  readonly keepFailed: boolean;
  /** True if QUEUE_SHARDS spreads its jobs (`shards.ts`). */
  readonly isSharded: boolean;
  /** The number of a shard; `undefined` for the queue itself. */
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
    Partial<Pick<QueueDefinition, 'longestPauseMs' | 'keepFailed' | 'isSharded'>>,
): QueueDefinition {
  return { name, longestPauseMs: 15_000, keepFailed: true, isSharded: false, ...options };
}

/** The Idempotency-Key of a job's request. */
export interface Keyed {
  /** Keyed hash of the contents of the request. */
  fingerprint: string;
  /** Tells the request from its repeats. */
  request: string;
}

/** The person, and the API key if there was one, for whom a job writes. */
export interface Actor {
  userId: string;
  apiKeyId?: string | undefined;
}

/** The row of the audit log that a job adds: the kind of its record, and whether its result or its data has the id. */
export interface AuditRule {
  readonly kind: string;
  readonly by: 'result' | 'data';
}

/** The states of a record that a write is meant for, by their ETags; `*` for any. */
export type IfMatch = '*' | string[];

/** The request that a job is done for. */
export interface JobOrigin {
  projectId: string;
  /** On whose share of the slots the job runs, where that is not its workspace. */
  tenant?: string | undefined;
  requestId?: string | undefined;
  actor?: Actor | undefined;
  replyTo?: string | undefined;
  keyed?: Keyed | undefined;
  ifMatch?: IfMatch | undefined;
  /** When the job was accepted, where it is added later than that: milliseconds since 1970. */
  acceptedAt?: number | undefined;
}

/** The context of a running job. */
export interface JobContext {
  jobId: string;
  /** The number of the shard that it was taken from; `undefined` for the queue itself. */
  shard?: number | undefined;
  /** The workspace for which the job runs; empty for the service's own jobs. */
  projectId: string;
  /** The data by which a job was extended while it waited, in no order. */
  further?: readonly unknown[] | undefined;
  /** The job as the audit log reads it; `undefined` where the service runs a command by itself. */
  task?: { name: string; data: unknown; audit?: AuditRule | undefined } | undefined;
  actor?: Actor | undefined;
  /** True when this job may have run before, in part or whole. */
  isRepeat: boolean;
  /** Number of times that a worker has taken the job, this one included; `undefined` where the service runs a command by itself. */
  starts?: number | undefined;
  /** The request had an Idempotency-Key: an earlier job of the same id may have been its own. */
  keyed?: Keyed | undefined;
  /** The state of the record that the write is meant for (`refuseChanged`). */
  ifMatch?: IfMatch | undefined;
  /** When the job was accepted, where it was added later than that: milliseconds since 1970. */
  acceptedAt?: number | undefined;
  log: Log;
}

/** Delay of a job that was postponed, or timed out waiting for a lock of the database, in ms. */
export const POSTPONED_MS = 2_000;

/** Thrown by a handler that cannot do its job now: the job runs again soon, which does not count as an attempt. */
export class Postponed extends Error {
  readonly delayMs: number;

  /** @param delayMs time until the job is run again */
  constructor(message: string, delayMs = POSTPONED_MS) {
    super(message);
    this.delayMs = delayMs;
  }
}

/** Thrown by a handler when no further attempt can succeed: the job becomes a dead letter at once. */
export class Hopeless extends UnrecoverableError {}

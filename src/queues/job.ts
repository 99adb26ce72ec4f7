import type { AuditRule, JobContext, QueueDefinition } from './definition.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

interface JobOptions {
  /** Row of the audit log that the job adds; no row without it. */
  readonly audit?: AuditRule | undefined;
  /** Attempts of a job that meets faults; by default those of its queue. */
  readonly attempts?: number | undefined;
  /** True if data can be added to the job while it waits (`Producer.extend`). */
  readonly isExtensible?: boolean | undefined;
}

interface ScheduleOptions {
  /** Interval of the runs, in ms. */
  readonly everyMs?: number | undefined;
  /** True if the job also runs at each start of the scheduler. */
  readonly isRunAtStart?: boolean | undefined;
}

/** A kind of job whose queue and name are not known yet. */
export interface JobDraft<Data, Result> extends JobOptions, ScheduleOptions {
  /** Never set: carries the types. */
  readonly types?: { data: Data; result: Result };
}

/** A kind of job: producers add it, and a handler runs it. */
export interface Job<Data, Result> extends JobDraft<Data, Result> {
  readonly queue: QueueDefinition;
  readonly name: string;
  readonly attempts: number;
}

/** A kind of job with any data and result. */
export type AnyJob = Job<unknown, unknown>;

/** A kind of job that the schedule adds. */
export type ScheduledJob = AnyJob & { readonly everyMs: number };

/** The data of a kind of job. */
export type DataOf<J> = J extends JobDraft<infer Data, unknown> ? Data : never;
/** The result of a kind of job. */
export type ResultOf<J> = J extends JobDraft<unknown, infer Result> ? Result : never;

/** Describes a job that requests or other jobs add. */
export function job<Data, Result = void>(options: JobOptions = {}): JobDraft<Data, Result> {
  return options;
}

/**
 * Describes a job that the schedule adds. Each worker process runs it once at a time: a run that comes due while the one
 * before it goes on is skipped, so that slow runs don't take the slots of other jobs.
 */
export function scheduled(
  options: Required<Pick<ScheduleOptions, 'everyMs'>> & ScheduleOptions & JobOptions,
): JobDraft<object, void> {
  return options;
}

/** Jobs by their names. */
type Jobs<Drafts> = {
  readonly [Name in keyof Drafts]: Job<DataOf<Drafts[Name]>, ResultOf<Drafts[Name]>>;
};

/**
 * Declares the jobs of a queue. Their names are stored with jobs that wait, so they cannot change.
 *
 * @param drafts made by {@link job} and {@link scheduled}, by name
 */
export function jobsOf<Drafts extends Record<string, JobDraft<unknown, unknown>>>(
  queue: QueueDefinition,
  drafts: Drafts,
): Jobs<Drafts> {
  const jobs = Object.entries(drafts).map(([name, draft]) => [
    name,
    { ...draft, queue, name, attempts: draft.attempts ?? queue.attempts },
  ]);
  return Object.fromEntries(jobs) as Jobs<Drafts>;
}

/** A job with the function that runs it. */
export interface JobHandler {
  readonly job: AnyJob;
  run(data: unknown, context: JobContext): Promise<unknown>;
}

/** Functions that run jobs, by the names of the jobs. */
type Runs<Declared> = {
  readonly [Name in keyof Declared]: (
    data: DataOf<Declared[Name]>,
    context: JobContext,
  ) => Promise<ResultOf<Declared[Name]>>;
};

/** Binds declared jobs to the functions that run them. A missing function, or one with other types, does not compile. */
export function handlers<Declared extends Record<string, AnyJob>>(
  declared: Declared,
  runs: Runs<Declared>,
): JobHandler[] {
  return Object.entries(declared).map(([name, one]) => ({
    job: one,
    run: runs[name as keyof Declared] as JobHandler['run'],
  }));
}

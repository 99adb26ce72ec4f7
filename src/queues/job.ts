import type { AuditRule, JobContext, QueueDefinition } from './definition.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

/**
 * Audit rule of a job on a record with its id in the result. A `count` in the result makes the row
 * one of several records; a count of 0 adds no row.
 */
export const changes = (kind: string): AuditRule => ({ kind, by: 'result' });
/** Audit rule of a job on a record with its id in the data. */
export const concerns = (kind: string): AuditRule => ({ kind, by: 'data' });

interface JobOptions {
  /** Rule for the row of the audit log that the job adds; absent: no row. */
  readonly audit?: AuditRule | undefined;
  /** Number of attempts of a faulty job; absent: the queue's. */
  readonly attempts?: number | undefined;
  /** True if data can be added to the job while it waits (`JobSender.extend`). */
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
  /** Never set: only for the type checker, which infers both from it. */
  readonly types?: { data: Data; result: Result };
}

/** A kind of job, which producers add and a handler runs. */
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
 * Describes a job that the schedule adds. A worker process runs it once at a time: a run that comes
 * due during the previous one is skipped, so that slow runs do not use up the slots of other jobs.
 */
export function scheduled(
  options: Required<Pick<ScheduleOptions, 'everyMs'>> & ScheduleOptions & JobOptions,
): JobDraft<object, void> {
  return options;
}

/** Jobs by name. */
type Jobs<Drafts> = {
  readonly [Name in keyof Drafts]: Job<DataOf<Drafts[Name]>, ResultOf<Drafts[Name]>>;
};

/**
 * Declares the jobs of a queue. Their names are stored with waiting jobs, so they cannot change.
 *
 * @param drafts results of {@link job} and {@link scheduled}, by name
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

/**
 * Binds declared jobs to the functions that run them. A missing function, or one with other types,
 * does not compile.
 */
export function handlers<Declared extends Record<string, AnyJob>>(
  declared: Declared,
  runs: Runs<Declared>,
): JobHandler[] {
  return Object.entries(declared).map(([name, one]) => ({
    job: one,
    run: runs[name as keyof Declared] as JobHandler['run'],
  }));
}

import { newId } from '../ids.ts';
import { within } from '../infra/clock.ts';
import { ErrorLog } from '../infra/error-log.ts';
import type { Log } from '../infra/log.ts';
import type { RequestHead } from '../infra/plain-requests.ts';
import type { JobSender } from '../queues/job-sender.ts';
import { programOf } from '../visitors/program.ts';
import type { LeftOutClass } from '../visitors/traffic.ts';
import { visitJobs } from '../visits/jobs.ts';
import { type LeftOutCount, OTHER_PROGRAMS } from '../visits/left-out.ts';
import type { Visitor } from './visitor.ts';

/*
 * Counts the requests that would be visits if a person had sent them. They are added up in memory
 * and sent as one job every few seconds. A job that Redis has not acknowledged is sent again with
 * its id, so that it counts once. What has not been sent is lost if the process is killed, or if it
 * stops while Redis is down.
 */

const ADD = visitJobs['leftOut.add'];
/** Interval of the jobs, in ms; an idle process sends none. */
const SEND_MS = 3_000;
/** Time limit for adding a job, in ms. */
const QUEUE_MS = 2_000;
/** Maximum number of programs of a workspace on a day between two jobs. */
const MAX_PROGRAMS = 200;
/** Number of counts from which further programs are counted together, in all workspaces. */
const MAX_COUNTS = 20_000;
/** Maximum number of counts in a job. */
const PER_JOB = 2_000;
const DAY_MS = 86_400_000;

const EXCLUDED = 'Excluded visitors';

/** A job that may have been added. */
interface SentJob {
  jobId: string;
  counts: LeftOutCount[];
}

/** Counts of a workspace on a day, by class and program. */
type WorkspaceCounts = Map<string, LeftOutCount>;

/** A request for a link, with its visitor. */
interface LeftOutRequest {
  visitor: Visitor;
  request: RequestHead;
}

/** Dependencies of {@link LeftOutCounter}. */
interface LeftOutOptions {
  jobs: JobSender;
  log: Log;
}

/** Counts requests that are not counted as visits; see the top of the file. */
export class LeftOutCounter {
  readonly #jobSender: JobSender;
  readonly #errors: ErrorLog;
  /** Counts by workspace and day. */
  #workspaces = new Map<string, WorkspaceCounts>();
  #size = 0;
  /** The jobs that are sent next; the first may have been added already. */
  #jobs: SentJob[] = [];
  #sending: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor({ jobs, log }: LeftOutOptions) {
    this.#jobSender = jobs;
    this.#errors = new ErrorLog(log, 'counts of programs were not sent to the queue');
  }

  /**
   * Counts a request that is not counted as a visit.
   *
   * @param projectId workspace of the link, or of its domain
   */
  add({ visitor, request }: LeftOutRequest, projectId: string, now: number): void {
    const found = leftOutClass({ visitor, request });
    if (found === undefined || projectId === '') return;
    const program =
      found === 'excluded'
        ? EXCLUDED
        : programOf(visitor.traffic, request.headers, visitor.userAgent);
    this.#count(projectId, Math.floor(now / DAY_MS), found, program);
    this.#timer ??= setTimeout(() => void this.#send(), SEND_MS).unref();
  }

  /** Sends all counts. Those that Redis does not accept are lost. */
  async close(): Promise<void> {
    await this.#sending;
    await this.#send();
    clearTimeout(this.#timer);
    this.#errors.flush();
  }

  #count(projectId: string, day: number, kind: LeftOutClass, program: string): void {
    const workspace = `${projectId} ${day}`;
    let counts = this.#workspaces.get(workspace);
    if (counts === undefined) {
      counts = new Map();
      this.#workspaces.set(workspace, counts);
    }
    const count = counts.get(`${kind} ${program}`);
    if (count !== undefined) {
      count.requests += 1;
    } else if (
      program !== OTHER_PROGRAMS &&
      (counts.size >= MAX_PROGRAMS || this.#size >= MAX_COUNTS)
    ) {
      this.#count(projectId, day, kind, OTHER_PROGRAMS);
    } else {
      counts.set(`${kind} ${program}`, { projectId, day, class: kind, program, requests: 1 });
      this.#size += 1;
    }
  }

  async #send(): Promise<void> {
    this.#sending = this.#sendAll();
    await this.#sending;
    this.#sending = undefined;
    this.#timer = undefined;
    if (this.#jobs.length > 0 || this.#size > 0) {
      this.#timer = setTimeout(() => void this.#send(), SEND_MS).unref();
    }
  }

  async #sendAll(): Promise<void> {
    try {
      for (;;) {
        if (this.#jobs.length === 0) this.#jobs = this.#take();
        const [job] = this.#jobs;
        if (job === undefined) return;
        await this.#add(job);
        this.#jobs.shift();
      }
    } catch (error) {
      this.#errors.report(error);
    }
  }

  /** Turns all counts into jobs. */
  #take(): SentJob[] {
    const counts = [...this.#workspaces.values()].flatMap((one) => [...one.values()]);
    this.#workspaces = new Map();
    this.#size = 0;
    const jobs: SentJob[] = [];
    for (let from = 0; from < counts.length; from += PER_JOB) {
      jobs.push({ jobId: newId('job'), counts: counts.slice(from, from + PER_JOB) });
    }
    return jobs;
  }

  async #add({ jobId, counts }: SentJob): Promise<void> {
    const jobs = this.#jobSender;
    const adding = jobs.replicated(ADD.queue, () => jobs.add(ADD, { counts }, { jobId }));
    await within(QUEUE_MS, adding, 'adding counts of programs');
  }
}

/** Class under which a request is left out; `undefined` for a visit, and for a HEAD request. */
function leftOutClass({ visitor, request }: LeftOutRequest): LeftOutClass | undefined {
  if (request.method === 'HEAD') return undefined;
  if (visitor.isExcluded) return 'excluded';
  const { class: kind } = visitor.traffic;
  return kind === 'bot' || kind === 'preview' ? kind : undefined;
}

import type { Clock } from '../infra/clock.ts';

/*
 * Shares of a worker's slots. A tenant's job starts if the tenant has less than half as many slots
 * as are free. So one tenant gets a third of all slots, each further one a third of the rest, and a
 * tenant with many slots always yields (dynamic thresholds; Choudhury and Hahne, 1998).
 *
 *   enter ──▶ run ◀──▶ leave ─┐
 *     ├────▶ hold ◀──────────┤
 *     └────▶ park ◀── call ◀─┘
 *
 * A job over its tenant's share is held by the process for a short time, because a slot is often
 * free soon and the way through Redis costs as much as a small job. Held jobs use only slots that
 * no other job needs. A job that is not held is parked: it goes back to Redis as a delayed job.
 * When a slot becomes free, the tenants with waiting jobs take turns, each in the order of its
 * jobs. Parked jobs are known to one process; if it dies, they return when their delay is over.
 *
 * Several processes serve a queue, and a called job goes to any of them, where it takes precedence
 * over the jobs that this process has parked. The caller counts it as taken by another process when
 * a job that it called later arrives, or after CALL_MS.
 */

/** Time for which a called job reserves its slot, in ms. After that `callAgain` is due. */
export const CALL_MS = 250;

/** Called with true once a held job has a slot, and with false if it is no longer held. */
type EndHold = (isStarted: boolean) => void;

/** The slots of one worker, by tenant. Tenants are names; the empty name has no limit. */
export class Slots {
  readonly #total: number;
  readonly #clock: Clock;
  /** Number of slots that held jobs leave free: jobs of others, and parked ones, pass through. */
  #reserve: number;
  #taken = 0;
  readonly #running = new Map<string, number>();
  /**
   * Ids of held and parked jobs by tenant, in order, and whether Redis has them back. The first
   * tenant is next.
   */
  readonly #waiting = new Map<string, Map<string, boolean>>();
  /** The ends of held jobs by id, oldest first. */
  readonly #held = new Map<string, EndHold>();
  /** Ids of called jobs that have not returned yet, oldest first. */
  readonly #called = new Map<string, { tenant: string; until: number }>();

  constructor(total: number, clock: Clock = Date.now) {
    this.#total = total;
    this.#reserve = Math.max(1, Math.floor(total / 4));
    this.#clock = clock;
  }

  /**
   * Takes a slot; if it returns false, the caller must call `hold`.
   *
   * @param wasParked the job has been parked before, by this process or another one
   */
  enter(tenant: string, jobId: string, wasParked: boolean): boolean {
    this.#expireCalls();
    const wasCalled = this.#answerCall(jobId);
    const waiting = this.#waiting.get(tenant);
    // A job that was parked has had its turn, or has waited its whole delay.
    const isNext = waiting === undefined || wasParked;
    if (tenant !== '' && !wasCalled && !(isNext && this.#isBelowShare(tenant, this.#taken))) {
      this.#waiting.set(tenant, (waiting ?? new Map()).set(jobId, false));
      return false;
    }
    this.#start(tenant, jobId);
    if (this.#free() < this.#reserve) this.endHold([...this.#held.keys()].at(-1));
    return true;
  }

  /**
   * Holds a job that got no slot, if a quarter of them remains for further jobs.
   *
   * @param end if it is called with false, the caller must put the job back into Redis and call
   *   `park`, or `drop` if that failed
   */
  hold(jobId: string, end: EndHold): void {
    this.endHold(jobId);
    if (this.#free() <= this.#reserve) end(false);
    else this.#held.set(jobId, end);
  }

  /** Stops holding a job, if it is held. */
  endHold(jobId = ''): void {
    const end = this.#held.get(jobId);
    this.#held.delete(jobId);
    end?.(false);
  }

  /** Stops holding jobs, so that other processes can run them. */
  close(): void {
    this.#reserve = Number.POSITIVE_INFINITY;
    for (const jobId of this.#held.keys()) this.endHold(jobId);
  }

  /** Frees a slot, which a held job may get. @returns ids of parked jobs to call */
  leave(tenant: string): string[] {
    this.#taken -= 1;
    const count = (this.#running.get(tenant) ?? 0) - 1;
    if (count > 0) this.#running.set(tenant, count);
    else this.#running.delete(tenant);
    return this.#call();
  }

  /** Records that Redis has a job back. @returns ids of parked jobs to call */
  park(tenant: string, jobId: string): string[] {
    this.#waiting.get(tenant)?.set(jobId, true);
    return this.#call();
  }

  /** Forgets a job that could not be put back into Redis. @returns ids of parked jobs to call */
  drop(tenant: string, jobId: string): string[] {
    this.#remove(tenant, jobId);
    return this.#call();
  }

  /** Cancels the call of a job that is no longer parked. @returns ids of parked jobs to call */
  forget(jobId: string): string[] {
    this.#called.delete(jobId);
    return this.#call();
  }

  /**
   * Ends expired calls, whose jobs other processes have taken. @returns ids of parked jobs to call
   */
  callAgain(): string[] {
    return this.#call();
  }

  #call(): string[] {
    this.#expireCalls();
    const ids: string[] = [];
    // A tenant that had its turn moves to the end.
    for (const [tenant, waiting] of this.#waiting) {
      const [[jobId, isBack] = ['', false]] = waiting;
      const endHold = this.#held.get(jobId);
      if (endHold === undefined && !isBack) continue;
      if (!this.#isBelowShare(tenant, this.#taken + this.#called.size)) continue;
      if (endHold === undefined) {
        this.#remove(tenant, jobId);
        this.#called.set(jobId, { tenant, until: this.#clock() + CALL_MS });
        ids.push(jobId);
      } else {
        this.#start(tenant, jobId);
        endHold(true);
      }
    }
    return ids;
  }

  /** Number of slots that neither running nor held jobs have. */
  #free(): number {
    return this.#total - this.#taken - this.#held.size;
  }

  #start(tenant: string, jobId: string): void {
    this.#remove(tenant, jobId);
    this.#held.delete(jobId);
    this.#taken += 1;
    this.#running.set(tenant, (this.#running.get(tenant) ?? 0) + 1);
  }

  /** Removes a waiting job and moves its tenant to the end. */
  #remove(tenant: string, jobId: string): void {
    const waiting = this.#waiting.get(tenant);
    if (waiting === undefined || !waiting.delete(jobId)) return;
    this.#waiting.delete(tenant);
    if (waiting.size > 0) this.#waiting.set(tenant, waiting);
  }

  #isBelowShare(tenant: string, taken: number): boolean {
    let count = this.#running.get(tenant) ?? 0;
    for (const call of this.#called.values()) if (call.tenant === tenant) count += 1;
    return count < (this.#total - taken) / 2;
  }

  /**
   * Ends the call of a job that has arrived. Jobs arrive in the order of their calls, so another
   * process has the earlier ones.
   */
  #answerCall(jobId: string): boolean {
    if (!this.#called.has(jobId)) return false;
    for (const earlier of this.#called.keys()) {
      this.#called.delete(earlier);
      if (earlier === jobId) break;
    }
    return true;
  }

  #expireCalls(): void {
    const now = this.#clock();
    for (const [jobId, { until }] of this.#called) {
      if (until > now) return;
      this.#called.delete(jobId);
    }
  }
}

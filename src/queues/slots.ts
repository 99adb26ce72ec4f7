import type { Clock } from '../infra/clock.ts';

/*
 * Shares of a worker's slots. A tenant's job starts if the tenant has less than half as many slots
 * as are free. So one tenant gets a third of all slots, each further one a third of the rest, and a
 * tenant with many slots always yields (dynamic thresholds; Choudhury and Hahne, 1998).
 *
 *   enter ──▶ run ──▶ leave ─┐
 *     └────▶ park ◀── call ◀─┘
 *
 * A job over its tenant's share is parked: it goes back to Redis as a delayed job. When a slot
 * becomes free, the tenants with parked jobs take turns, each in the order of its jobs. Parked jobs
 * are known to one process; if it dies, they return when their delay is over.
 *
 * Several processes serve a queue, and a called job goes to any of them, where it takes precedence
 * over the jobs that this process has parked. The caller counts it as taken by another process when
 * a job that it called later arrives, or after CALL_MS.
 */

/** Time for which a called job reserves its slot, in ms. After that `callAgain` is due. */
export const CALL_MS = 250;

/** The slots of one worker, by tenant. Tenants are names; the empty name has no limit. */
export class Slots {
  readonly #total: number;
  readonly #clock: Clock;
  #taken = 0;
  readonly #running = new Map<string, number>();
  /**
   * Ids of parked jobs by tenant, in order, and whether Redis has them back. The first tenant is
   * next.
   */
  readonly #parked = new Map<string, Map<string, boolean>>();
  /** Ids of called jobs that have not returned yet, oldest first. */
  readonly #called = new Map<string, { tenant: string; until: number }>();

  constructor(total: number, clock: Clock = Date.now) {
    this.#total = total;
    this.#clock = clock;
  }

  /**
   * Takes a slot; if it returns false, the caller must put the job back into Redis and call `park`,
   * or `drop` if that failed.
   *
   * @param wasParked the job has been parked before, by this process or another one
   */
  enter(tenant: string, jobId: string, wasParked: boolean): boolean {
    this.#expireCalls();
    const wasCalled = this.#answerCall(jobId);
    const waiting = this.#parked.get(tenant);
    // A job that was parked has had its turn, or has waited its whole delay.
    const isNext = waiting === undefined || wasParked;
    if (tenant !== '' && !wasCalled && !(isNext && this.#isBelowShare(tenant, this.#taken))) {
      this.#parked.set(tenant, (waiting ?? new Map()).set(jobId, false));
      return false;
    }
    this.#unpark(tenant, jobId);
    this.#taken += 1;
    this.#running.set(tenant, (this.#running.get(tenant) ?? 0) + 1);
    return true;
  }

  /** Frees a slot. @returns ids of parked jobs to call */
  leave(tenant: string): string[] {
    this.#taken -= 1;
    const count = (this.#running.get(tenant) ?? 0) - 1;
    if (count > 0) this.#running.set(tenant, count);
    else this.#running.delete(tenant);
    return this.#call();
  }

  /** Records that Redis has a job back. @returns ids of parked jobs to call */
  park(tenant: string, jobId: string): string[] {
    this.#parked.get(tenant)?.set(jobId, true);
    return this.#call();
  }

  /** Forgets a job that could not be put back into Redis. @returns ids of parked jobs to call */
  drop(tenant: string, jobId: string): string[] {
    this.#unpark(tenant, jobId);
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
    for (const [tenant, waiting] of this.#parked) {
      const [[jobId, isBack] = ['', false]] = waiting;
      if (!isBack || !this.#isBelowShare(tenant, this.#taken + this.#called.size)) continue;
      this.#unpark(tenant, jobId);
      this.#called.set(jobId, { tenant, until: this.#clock() + CALL_MS });
      ids.push(jobId);
    }
    return ids;
  }

  /** Removes a parked job and moves its tenant to the end. */
  #unpark(tenant: string, jobId: string): void {
    const waiting = this.#parked.get(tenant);
    if (waiting === undefined || !waiting.delete(jobId)) return;
    this.#parked.delete(tenant);
    if (waiting.size > 0) this.#parked.set(tenant, waiting);
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

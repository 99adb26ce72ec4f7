import type { Clock } from '../infra/clock.ts';

/*
 * Shares of a worker's slots. A tenant's job starts when the tenant has less than half as many slots as are free. So one
 * tenant gets a third of all slots, each further one a third of what is left, and a tenant with
 * many slots always gets fewer (dynamic thresholds; Choudhury and Hahne, 1998).
 *
 *   enter ──▶ run ──▶ leave ─┐
 *     └────▶ park ◀── call ◀─┘
 *
 * A job over its tenant's share is parked: it goes back to Redis as a delayed job. When a slot becomes free the tenants
 * with parked jobs take turns, each in the order of its jobs. This is known to one process and lost with it; parked
 * jobs then return when their delay is over.
 *
 * Several processes take jobs of one queue, and a called job goes to any of them. There it is not put behind the jobs
 * that this one has parked. The caller counts it as taken by another when a job that it called later arrives, or after
 * CALL_MS.
 */

/** Time for which a called job keeps its place, in ms. After that `callAgain` is due. */
export const CALL_MS = 250;

/** The slots of one worker, and who has them. Tenants are named by text; the empty name has no limit. */
export class Slots {
  readonly #total: number;
  readonly #clock: Clock;
  #taken = 0;
  readonly #running = new Map<string, number>();
  /** Ids in their order, by tenant, and whether Redis has them back; the tenant whose turn it is stands first. */
  readonly #parked = new Map<string, Map<string, boolean>>();
  /** Ids that were called and have not returned yet, oldest first. */
  readonly #called = new Map<string, { tenant: string; until: number }>();

  constructor(total: number, clock: Clock = Date.now) {
    this.#total = total;
    this.#clock = clock;
  }

  /**
   * Takes a slot; `false` where the job must be put back into Redis, and then `park` be called, or `drop` where that
   * failed.
   *
   * @param wasParked the job has been parked before, by this process or another one
   */
  enter(tenant: string, jobId: string, wasParked: boolean): boolean {
    this.#expireCalls();
    const wasCalled = this.#answerCall(jobId);
    const waiting = this.#parked.get(tenant);
    // One that was parked has had its turn, or has waited its whole delay.
    const isNext = waiting === undefined || wasParked;
    if (tenant !== '' && !wasCalled && !(isNext && this.#hasRoom(tenant, this.#taken))) {
      this.#parked.set(tenant, (waiting ?? new Map()).set(jobId, false));
      return false;
    }
    this.#unpark(tenant, jobId);
    this.#taken += 1;
    this.#running.set(tenant, (this.#running.get(tenant) ?? 0) + 1);
    return true;
  }

  /** Gives a slot back. @returns ids of parked jobs that are to be called */
  leave(tenant: string): string[] {
    this.#taken -= 1;
    const left = (this.#running.get(tenant) ?? 0) - 1;
    if (left > 0) this.#running.set(tenant, left);
    else this.#running.delete(tenant);
    return this.#call();
  }

  /** Notes that Redis has a job back. @returns ids of parked jobs that are to be called */
  park(tenant: string, jobId: string): string[] {
    this.#parked.get(tenant)?.set(jobId, true);
    return this.#call();
  }

  /** Lets go of a job that could not be put back into Redis. @returns ids of parked jobs that are to be called */
  drop(tenant: string, jobId: string): string[] {
    this.#unpark(tenant, jobId);
    return this.#call();
  }

  /** Gives up a call for a job that is parked no longer. @returns ids of parked jobs that are to be called */
  forget(jobId: string): string[] {
    this.#called.delete(jobId);
    return this.#call();
  }

  /** Ends calls that are over, whose jobs other processes have. @returns ids of parked jobs that are to be called */
  callAgain(): string[] {
    return this.#call();
  }

  #call(): string[] {
    this.#expireCalls();
    const ids: string[] = [];
    // A tenant that had its turn is put last, and so comes round again.
    for (const [tenant, waiting] of this.#parked) {
      const [[jobId, isBack] = ['', false]] = waiting;
      if (!isBack || !this.#hasRoom(tenant, this.#taken + this.#called.size)) continue;
      this.#unpark(tenant, jobId);
      this.#called.set(jobId, { tenant, until: this.#clock() + CALL_MS });
      ids.push(jobId);
    }
    return ids;
  }

  /** Removes a job from those that are parked, and lets other tenants have the next turn. */
  #unpark(tenant: string, jobId: string): void {
    const waiting = this.#parked.get(tenant);
    if (waiting === undefined || !waiting.delete(jobId)) return;
    this.#parked.delete(tenant);
    if (waiting.size > 0) this.#parked.set(tenant, waiting);
  }

  #hasRoom(tenant: string, taken: number): boolean {
    let own = this.#running.get(tenant) ?? 0;
    for (const call of this.#called.values()) if (call.tenant === tenant) own += 1;
    return own < (this.#total - taken) / 2;
  }

  /** Ends the call of a job that has arrived. Jobs arrive in the order of their calls: another process has the earlier ones. */
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

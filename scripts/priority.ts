import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** Niceness of processes that yield: where the processor is scarce, they get a tenth of the time that others get. */
export const YIELDING = 10;

/**
 * Workers whose jobs are single requests of the API, which wait for them. They have its niceness: with less of the processor
 * than programs of others, they would leave requests without an answer. `worker_all` is one of them.
 */
const AWAITED = ['worker_writes', 'worker_currency', 'worker_metatags', 'worker_all'];

/**
 * True for a process of the Procfile, or one of several instances such as `worker_bulk.2`, whose work can wait for redirects and
 * single writes: batches, drawing, deliveries, upkeep.
 */
export function yieldsProcessor(name: string): boolean {
  return name.startsWith('worker_') && !AWAITED.includes(name.replace(/\.\d+$/, ''));
}

/**
 * Sets the niceness of a process that leads a session of its own, and of those that it will start. One that has more keeps it.
 */
export function yieldProcessor(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    if (getPriority(pid) > YIELDING) return;
    for (const thread of threadsOf(pid)) setPriority(thread, YIELDING);
    // Linux shares the processor among sessions first, by a niceness of their own (sched(7), autogroup).
    writeFileSync(`/proc/${pid}/autogroup`, String(YIELDING));
  } catch {
    // It has ended, or this is no such kernel.
  }
}

/** Linux has a niceness for each thread. */
function threadsOf(pid: number): number[] {
  const folder = `/proc/${pid}/task`;
  return existsSync(folder) ? readdirSync(folder).map(Number) : [pid];
}

import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/**
 * Niceness of background processes: where the processor is scarce, they get a tenth of the time of
 * others.
 */
export const YIELDING = 10;

/**
 * Workers whose jobs are single requests of the API, which wait for them. They have its niceness:
 * with less processor time than other programs, they would leave requests unanswered. `worker_all`
 * is one of them.
 */
const AWAITED = ['worker_writes', 'worker_currency', 'worker_metatags', 'worker_all'];

/**
 * True for a process of the Procfile, or an instance such as `worker_bulk.2`, whose work can wait
 * for redirects and single writes: batches, drawing, deliveries, upkeep.
 */
export function yieldsProcessor(name: string): boolean {
  return name.startsWith('worker_') && !AWAITED.includes(name.replace(/\.\d+$/, ''));
}

/**
 * Raises the niceness of a process that leads a session, and of its later children. A higher one
 * stays.
 */
export function yieldProcessor(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    if (getPriority(pid) > YIELDING) return;
    for (const thread of threadsOf(pid)) setPriority(thread, YIELDING);
    // Linux first shares the processor among sessions, by a niceness of their own (sched(7),
    // autogroup).
    writeFileSync(`/proc/${pid}/autogroup`, String(YIELDING));
  } catch {
    // The process has ended, or the kernel has no autogroups.
  }
}

/** Returns the threads of a process, since Linux has a niceness per thread. */
function threadsOf(pid: number): number[] {
  const folder = `/proc/${pid}/task`;
  return existsSync(folder) ? readdirSync(folder).map(Number) : [pid];
}

import { writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/**
 * Niceness of workers and of the private Postgres: where the processor is scarce, they get a tenth of the time that redirects and
 * Redis get. Work in queues can wait, visitors can't.
 */
export const YIELDING = 10;

/**
 * Sets the niceness of a process that leads a session of its own, and of those that it will start. One that has more keeps it.
 */
export function yieldProcessor(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    if (getPriority(pid) > YIELDING) return;
    setPriority(pid, YIELDING);
    // Linux shares the processor among sessions first, by a niceness of their own (sched(7), autogroup).
    writeFileSync(`/proc/${pid}/autogroup`, String(YIELDING));
  } catch {
    // It has ended, or this is no such kernel.
  }
}

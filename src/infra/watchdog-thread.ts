import { writeSync } from 'node:fs';
import { Session } from 'node:inspector';
import { hostname } from 'node:os';
import { workerData } from 'node:worker_threads';
import type { Watched } from './watchdog.ts';

/*
 * The thread of `startWatchdog`. It counts its own ticks instead of time: a process that was
 * suspended (SIGSTOP, a sleeping laptop) has not blocked itself, and its thread has not ticked
 * either. On an overloaded machine a short piece of work may take this long. Therefore the process
 * must also have used more processor time than any piece of work does, or almost none for a minute.
 */

const TICK_MS = 1_000;
const BLOCKED_TICKS = 10;
/**
 * Processor time that no work of the service takes without a pause, not even the start of a
 * process, in microseconds.
 */
const BUSY_US = 8_000_000;
/**
 * Number of ticks after which the process counts as stuck on something other than the processor,
 * such as a hanging disk.
 */
const STUCK_TICKS = 60;
/** Processor time in that period that is more than this thread itself uses, in microseconds. */
const STUCK_US = 500_000;
/** Exit code that shells report for a process ended with SIGKILL. */
const EXIT_CODE = 137;
/** Level of pino's `fatal`. */
const FATAL = 60;

const { signs, name } = workerData as Watched;
const sign = new Int32Array(signs);
// A thread watches one process, and its module is run once for it.
let last = Atomics.load(sign, 0);
let ticks = 0;
let usage = process.cpuUsage();
let isReported = false;

setInterval(() => {
  const now = Atomics.load(sign, 0);
  if (now !== last) {
    last = now;
    ticks = 0;
    usage = process.cpuUsage();
    return;
  }
  ticks += 1;
  if (ticks < BLOCKED_TICKS) return;
  const { user, system } = process.cpuUsage(usage);
  const usedUs = user + system;
  const isStuck = ticks >= STUCK_TICKS && usedUs < STUCK_US;
  if (usedUs < BUSY_US && !isStuck) return;
  if (!isReported) report();
  isReported = true;
  end();
}, TICK_MS);

/**
 * Ends the process. The kernel ignores signals, even SIGKILL, that process 1 of a container sends
 * to itself, so that process is interrupted by its debugger, which reaches all JavaScript, and
 * native code once it returns. This repeats with every tick until the process has ended.
 */
function end(): void {
  if (process.pid !== 1) {
    process.kill(process.pid, 'SIGKILL');
    return;
  }
  const session = new Session();
  session.connectToMainThread();
  session.post('Runtime.evaluate', { expression: `process.reallyExit(${EXIT_CODE})` });
}

/** Writes a line in pino's format; pino's own streams need the blocked event loop. */
function report(): void {
  const line = {
    level: FATAL,
    time: Date.now(),
    pid: process.pid,
    hostname: hostname(),
    name,
    msg: `The event loop was blocked for ${(ticks * TICK_MS) / 1000} s: the process is being ended`,
  };
  try {
    writeSync(2, `${JSON.stringify(line)}\n`);
  } catch {
    // The pipe is closed or full; the process ends in any case.
  }
}

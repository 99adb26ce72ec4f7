import { writeSync } from 'node:fs';
import { Session } from 'node:inspector';
import { hostname } from 'node:os';
import { workerData } from 'node:worker_threads';
import type { Watched } from './watchdog.ts';

/*
 * The thread of `startWatchdog`. It counts its own ticks, not the time: a process that was suspended (SIGSTOP, a laptop
 * that slept) has not blocked itself, and its thread has not ticked either. On a machine with far too much to do a
 * short piece of work may take as long as that: so the process must have used the processor meanwhile for longer than
 * any piece of work does, or have used next to nothing of it for a minute.
 */

const TICK_MS = 1_000;
const BLOCKED_TICKS = 10;
/** Nothing of ours runs for so long without a pause, not even the start of a process, in microseconds of the processor. */
const BUSY_US = 8_000_000;
/** Waits for something other than the processor, a disk that hangs, say. */
const STUCK_TICKS = 60;
/** More than this thread itself uses in that time, in microseconds of the processor. */
const STUCK_US = 500_000;
/** Of a process that was ended with SIGKILL, as shells report it. */
const EXIT_CODE = 137;
/** The level of pino's `fatal`. */
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
 * Ends the process. The kernel ignores signals that process 1 of a container sends to itself, SIGKILL too, so that one is
 * interrupted by its debugger: that reaches all JavaScript, and native code once it returns. It is repeated with every
 * tick until the process has ended.
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

/** Writes a line as pino does: its own streams need the event loop that is blocked. */
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
    // The pipe is closed or full: the process ends all the same.
  }
}

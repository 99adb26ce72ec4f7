import { readdirSync, writeFileSync, writeSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { machineMemory } from '../infra/machine.ts';

/* Limits of the separate processes that read the files of strangers. */

const MIB = 2 ** 20;
/**
 * Memory limit in bytes. A node process that draws nothing takes 58 MB, most drawings less than 40
 * MB more.
 */
const MAX_MEMORY = Math.min(256 * MIB, Math.max(128 * MIB, machineMemory() / 8));
/** Processor time limit in µs, including the start. */
const MAX_CPU = 5_000_000;
/**
 * Minimum niceness of the process. The lowest priority would get nothing on a machine whose cores
 * are all busy.
 */
const MIN_NICENESS = 5;
/** Interval at which both limits are checked, in ms. */
const CHECK_INTERVAL_MS = 10;
/** Exit code for a file that cannot be read. */
export const REFUSED = 2;

/**
 * Answers the file on standard input on standard output, with a low priority and limits of
 * processor time and memory. An error of the answer goes to standard error.
 *
 * @param answer runs in another thread than the event loop, which checks the limits
 */
export async function answerWithinLimits(
  answer: (file: Buffer) => Promise<Uint8Array>,
): Promise<void> {
  yieldToOthers();
  setInterval(() => {
    const { user, system } = process.cpuUsage();
    if (process.memoryUsage.rss() > MAX_MEMORY) end('memory');
    else if (user + system > MAX_CPU) end('time');
  }, CHECK_INTERVAL_MS).unref();
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  try {
    process.stdout.write(await answer(Buffer.concat(chunks)));
  } catch (error) {
    process.stderr.write(String(error));
    process.exitCode = REFUSED;
  }
}

/**
 * Lowers the priority of this process below that of requests, and lets the kernel end it first if
 * memory runs out.
 */
function yieldToOthers(): void {
  const niceness = Math.max(getPriority(), MIN_NICENESS);
  setPriority(niceness);
  if (process.platform !== 'linux') return;
  writeFileSync('/proc/self/oom_score_adj', '1000');
  // On Linux each thread has its own priority, and drawing threads of the pool may already have
  // started.
  for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), niceness);
}

/**
 * Ends the process with the exceeded limit on standard error. A normal exit would wait for the
 * other thread.
 */
function end(limit: 'memory' | 'time'): void {
  writeSync(2, `\nlimit: ${limit}`);
  process.kill(process.pid, 'SIGKILL');
}

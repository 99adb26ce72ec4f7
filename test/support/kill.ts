import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Kills a process, or ends it with another signal. A process that has ended is left alone. */
export async function kill(
  child: ChildProcess | undefined,
  signal: NodeJS.Signals = 'SIGKILL',
): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

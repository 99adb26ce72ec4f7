import { listProcesses } from '../src/infra/heartbeat.ts';
import type { Redis } from '../src/infra/redis.ts';
import { SetupError } from './embedded/setup-error.ts';

/** Checks that no process of the service runs. @throws SetupError naming those that do */
export async function checkStopped(queue: Redis): Promise<void> {
  const running = (await listProcesses(queue)).filter(({ state }) => state !== 'silent');
  if (running.length === 0) return;
  const names = [...new Set(running.map(({ name }) => name))].join(', ');
  throw new SetupError(`The service is running (${names}): stop it first.`);
}

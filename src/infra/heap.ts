import { Session } from 'node:inspector/promises';

/**
 * Collects what the start of this process left in its heap: 20 to 30 MB, for about 50 ms of
 * processor time. An idle process would keep it for hours, since V8 collects old objects only when
 * more are made.
 */
export async function freeStartMemory(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}

import { newId } from '../ids.ts';
import type { Producer } from '../queues/queue.ts';
import { writes } from '../queues/writes.ts';
import type { Caller } from './queries.ts';

const NOTED_EVERY_MS = 60_000;
const lastNoted = new Map<string, number>();

/** Has the use of a key remembered, at most once a minute and process. Nothing waits for it or fails with it. */
export function noteApiKeyUse(producer: Producer, { apiKeyId, projectId }: Caller): void {
  const now = Date.now();
  if (now - (lastNoted.get(apiKeyId) ?? 0) < NOTED_EVERY_MS) return;
  if (lastNoted.size > 10_000) lastNoted.clear();
  lastNoted.set(apiKeyId, now);
  const data = { apiKeyId, at: new Date(now).toISOString() };
  producer.add(writes, 'apiKey.used', data, { jobId: newId('job'), projectId }).catch(() => {});
}

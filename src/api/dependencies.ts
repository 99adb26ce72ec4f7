import type { Queues } from '../http/route.ts';
import type { Log } from '../infra/log.ts';
import type { Check } from '../infra/process.ts';
import type { Redis } from '../infra/redis.ts';

/** The dependencies of the API. */
export interface ApiDependencies {
  log: Log;
  redis: Redis;
  queues: Queues;
  checks: Record<string, Check>;
}

import type { Log } from '../infra/log.ts';
import type { Redis, SingleRedis } from '../infra/redis.ts';
import type { EntrySource } from './source.ts';

/** Dependencies and settings of a finder. */
export interface FinderOptions {
  /** Connection to the look-up Redis, with a short command timeout. */
  commands: Redis;
  /** Connection to the same Redis for invalidations only, of `connectSubscriber`. */
  subscriber: SingleRedis;
  /** Connection to its primary, which is used if it is a replica. */
  primary: Redis;
  /** Source of the entries that Redis lacks. */
  source: EntrySource;
  /** Connection to the Redis of the queues, through which processes share their hottest links. */
  queue: Redis;
  /** Unique to this process. */
  instance: string;
  limits: { entries: number; seconds: number };
  log: Log;
}

import { memoize } from '../infra/memoize.ts';
import { queueRedis, type Redis } from '../infra/redis.ts';
import { Producer } from '../queues/producer.ts';

const producerOf = memoize((redis: Redis) => new Producer(redis), new WeakMap());

/**
 * Returns the producer for jobs that follow from the running one. While Redis is down its additions
 * wait.
 */
export const followUps = (): Producer => producerOf(queueRedis());

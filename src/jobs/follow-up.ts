import { queueRedis, type Redis } from '../infra/redis.ts';
import { Producer } from '../queues/producer.ts';

const producers = new WeakMap<Redis, Producer>();

/**
 * Returns the producer for jobs that follow from the running one. While Redis is down its additions
 * wait.
 */
export function followUps(): Producer {
  const redis = queueRedis();
  const producer = producers.get(redis) ?? new Producer(redis);
  producers.set(redis, producer);
  return producer;
}

import { queueRedis, type Redis } from '../infra/redis.ts';
import { Producer } from '../queues/producer.ts';

const producers = new WeakMap<Redis, Producer>();

/** Puts jobs on queues that follow from the one that a worker runs. While Redis is away they wait. */
export function followUps(): Producer {
  const redis = queueRedis();
  const producer = producers.get(redis) ?? new Producer(redis);
  producers.set(redis, producer);
  return producer;
}

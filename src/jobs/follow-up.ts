import { queueRedis } from '../infra/redis.ts';
import { Producer } from '../queues/producer.ts';

let producer: Producer | undefined;

/** Puts jobs on queues that follow from the one that a worker runs. While Redis is away they wait. */
export function followUps(): Producer {
  producer ??= new Producer(queueRedis());
  return producer;
}

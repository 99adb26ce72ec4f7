import type { Redis } from '../infra/redis.ts';

/*
 * The Redis of the queues counts the visits of links with a maximum number of visits, for all
 * redirect processes. A count that is missing starts from the counter in Postgres.
 */

/** Name of the count of a link; the hash tag puts all names of a link on one node of a cluster. */
export const quotaCountName = (linkId: string): string => `visits:{${linkId}}`;

/** Patterns of the names of these counts, and of the ids of visits in them. */
export const QUOTA_COUNT_NAMES = ['visits:*'];

/** Deletes the count of a link, so that it starts from the counter in Postgres again. */
export async function forgetQuotaCount(redis: Redis, linkId: string): Promise<void> {
  await redis.del(quotaCountName(linkId));
}

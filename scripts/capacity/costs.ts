/*
 * Measured costs, on 2 cores of an AMD EPYC with Node 20.20, PostgreSQL 18.4 and Redis 7.0. `npm
 * run bench -- costs` measures them again and prints both; those of analytics queries and blocks
 * are from `npm run bench -- analytics` and `npm run bench:seed`.
 */

/** Visits a second at which the costs of a visit were measured: batches grow with the rate. */
export const VISIT_RATES = [100, 1_000, 4_000] as const;

/** Processor time of a process or server. A member is absent if it causes no work there. */
export interface Costs {
  /** Idle time of each process, in ms a second. */
  idle: number;
  /** Time of a visit, in µs, at {@link VISIT_RATES}. */
  visit?: readonly [number, number, number];
  /**
   * Additional time of a visit, in µs, if its link is not in the memory of the redirect process but
   * in Redis.
   */
  miss?: number;
  /** Time of a link created by `POST /links`, in µs. */
  write?: number;
  /** Time of an analytics query, in µs. */
  question?: number;
  /** Time of a webhook delivery of a visit, in µs. */
  delivery?: number;
}

/** Processes and servers, in the order in which a visit reaches them. */
export const PARTS = [
  'redirect',
  'redis_lookups',
  'redis_queues',
  'worker_clicks',
  'worker_maintenance',
  'worker_webhooks',
  'api',
  'worker_writes',
  'postgres',
  'clickhouse',
] as const;
export type Part = (typeof PARTS)[number];

export const COSTS: Record<Part, Costs> = {
  redirect: { idle: 13, visit: [373, 123, 67], miss: 76 },
  redis_lookups: { idle: 2.1, visit: [15, 2, 2.2], miss: 16, write: 100 },
  redis_queues: { idle: 2.6, visit: [393, 77, 28], write: 817, delivery: 83 },
  worker_clicks: { idle: 11, visit: [1_300, 220, 95], delivery: 369 },
  worker_maintenance: { idle: 30, visit: [192, 55, 20] },
  worker_webhooks: { idle: 10, delivery: 551 },
  api: { idle: 23, write: 3_520, question: 39_100 },
  worker_writes: { idle: 9.3, write: 5_040 },
  postgres: { idle: 9.3, visit: [968, 225, 95], write: 4_150, question: 6_120, delivery: 462 },
  clickhouse: { idle: 2 },
};

/** Costs that differ if ClickHouse stores visits, at any rate. */
export const CLICKHOUSE_COSTS: Partial<
  Record<Part, { visit?: number; question?: number; questionPerMillionVisits?: number }>
> = {
  worker_maintenance: { visit: 46 },
  postgres: { question: 7_120 },
  api: { question: 45_700 },
  clickhouse: { visit: 6.2, question: 10_500, questionPerMillionVisits: 117_000 },
};

/**
 * Resident memory of a process after the loads, in MB; for redirect, without the links in memory.
 */
export const PROCESS_MB: Partial<Record<Part, number>> = {
  redirect: 83,
  api: 140,
  worker_writes: 99,
  worker_clicks: 367,
  worker_webhooks: 70,
  worker_maintenance: 125,
};

/** Sizes in bytes. */
export const SIZES = {
  /** A link in Postgres: its row, the claim of its key, and their indexes. */
  linkInPostgres: 785,
  /** The look-up entry of a link in Redis. */
  linkInRedis: 310,
  /** A link in the memory of a redirect process; measured by `npm run bench -- memory`. */
  linkInMemory: 150,
  /** A visit in Postgres: its event and the indexes of events. */
  visitInPostgres: 691,
  /** A visit in blocks of events and in rollups; measured by `npm run bench:seed`. */
  visitInBlocks: 61,
  /** Write-ahead log of a visit, which also goes to each standby. */
  visitInLog: 1_520,
  /** A visit in ClickHouse. */
  visitInClickHouse: 46,
  /** A visit that waits in the queue. */
  visitInQueue: 265,
  /** A visit in the spool. */
  visitInSpool: 397,
  /** A webhook delivery that waits in Postgres: about the payload of a visit. */
  deliveryInPostgres: 2_000,
  /**
   * A visit on its way from the redirect process through the Redis of the queues to worker_clicks.
   */
  visitThroughQueue: 476,
  /** Request and response of a visitor, without TLS. */
  visitOnNetwork: 548,
};

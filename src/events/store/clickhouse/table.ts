import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClickHouseClient } from '@clickhouse/client';
import type { ClickHouseAddress } from '../../../infra/clickhouse-address.ts';
import { db, execute } from '../../../infra/db.ts';
import { createTable, FIRST_VALUES, STORED_COLUMNS } from './schema.ts';

/*
 * A single server has the table `events`. Of a cluster every node has `events_local` with the events of its shard, and
 * `events`, which has those of all shards (`Distributed`).
 */

/** Old servers have columns with a dictionary only where it is asked for. */
const SETTINGS = { allow_experimental_low_cardinality_type: 1 } as Record<string, number>;

/** Events go to a shard by their ids, whatever workspace they are of: each question is answered by all nodes. */
const SHARDING_KEY = 'cityHash64(id)';

/** The table in which a server itself stores the rows of a table. */
export const storedIn = (table: string, { cluster }: ClickHouseAddress): string =>
  cluster === undefined ? table : `${table}_local`;

/** Set while this process keeps others from the tables. */
const holding = new AsyncLocalStorage<true>();

/** Does something while no other transaction adds events to tables or copies them. */
export async function whileLocked<Result>(work: () => Promise<Result>): Promise<Result> {
  if (holding.getStore()) return work();
  return db().transaction(async (trx) => {
    await execute(trx, "SELECT pg_advisory_xact_lock(hashtextextended('event_outbox', 0))");
    return holding.run(true, work);
  });
}

/**
 * Creates the tables of a server, or gives them the present layout.
 *
 * @returns the number of nodes of each shard
 * @throws Error when they are not those of a single server, or of a node of the cluster
 */
export async function prepareTable(
  client: ClickHouseClient,
  address: ClickHouseAddress,
): Promise<number> {
  const table = storedIn('events', address);
  const { cluster } = address;
  const replicas = cluster === undefined ? 1 : await checkCluster(client, address);
  const engine = await engineOf(client, 'events');
  if (cluster === undefined && engine === 'Distributed') {
    throw new Error(
      'EVENTS_URL: the server is a node of a cluster: set the parameter cluster (docs/clickhouse.md)',
    );
  }
  if (cluster !== undefined && engine !== undefined && engine !== 'Distributed') {
    // It was a single server, and becomes the first shard.
    await whileLocked(() => becomeNode(client, address));
  }
  await command(client, createTable(table, engineSql(address)));
  if (await isPresent(client, table)) {
    // An upgrade may have been interrupted before its end.
    await command(client, `DROP TABLE IF EXISTS ${table}_first`);
  } else {
    // No events are added to the table while it is copied, and one process copies it.
    await whileLocked(async () => {
      if (!(await isPresent(client, table))) await upgrade(client, table, address);
    });
  }
  if (cluster !== undefined) await prepareDistributed(client, table, cluster);
  return replicas;
}

const command = (client: ClickHouseClient, query: string) =>
  client.command({ query, clickhouse_settings: SETTINGS });

async function values<Row>(client: ClickHouseClient, query: string): Promise<Row[]> {
  return (await client.query({ query, format: 'JSONEachRow' })).json<Row>();
}

async function engineOf(client: ClickHouseClient, table: string): Promise<string | undefined> {
  const [found] = await values<{ engine: string }>(
    client,
    `SELECT engine FROM system.tables WHERE database = currentDatabase() AND name = '${table}'`,
  );
  return found?.engine;
}

/** Old servers have no macro of the database, and a path is that of one table for ever. */
function engineSql({ isReplicated, database }: ClickHouseAddress): string {
  if (!isReplicated) return 'MergeTree';
  return `ReplicatedMergeTree('/clickhouse/tables/{shard}/${database}/events_local', '{replica}')`;
}

/**
 * Rows are deleted on the nodes that EVENTS_URL names, and would remain on others.
 *
 * @returns the number of nodes of each shard
 * @throws Error when the cluster has nodes that EVENTS_URL does not name, or shards with fewer nodes than others
 */
async function checkCluster(
  client: ClickHouseClient,
  { cluster, nodes }: ClickHouseAddress,
): Promise<number> {
  const shards = await values<{ n: string | number }>(
    client,
    `SELECT count() AS n FROM system.clusters WHERE cluster = '${cluster}' GROUP BY shard_num`,
  );
  const counts = shards.map(({ n }) => Number(n));
  const count = counts.reduce((sum, n) => sum + n, 0);
  if (count === 0) {
    throw new Error(`EVENTS_URL: no cluster "${cluster}" is in the configuration of a server`);
  }
  if (count > nodes.length) {
    throw new Error(
      `EVENTS_URL: the cluster "${cluster}" has ${count} nodes, and ${nodes.length} are named: name all of them`,
    );
  }
  if (new Set(counts).size > 1) {
    throw new Error(
      `EVENTS_URL: shards of the cluster "${cluster}" have different numbers of nodes`,
    );
  }
  return counts[0]!;
}

/** Keeps the events of a single server as those of its shard. */
async function becomeNode(client: ClickHouseClient, address: ClickHouseAddress): Promise<void> {
  const engine = await engineOf(client, 'events');
  if (engine === undefined || engine === 'Distributed') return;
  if (address.isReplicated) {
    throw new Error(
      'EVENTS_URL: the table of events of a server is not replicated: move the events to Postgres first (docs/clickhouse.md)',
    );
  }
  await command(client, `RENAME TABLE events TO ${storedIn('events', address)}`);
}

/** Creates the table over the tables of all nodes, with the columns that they have. */
async function prepareDistributed(
  client: ClickHouseClient,
  table: string,
  cluster: string,
): Promise<void> {
  const create = `CREATE TABLE IF NOT EXISTS events AS ${table}
    ENGINE = Distributed('${cluster}', currentDatabase(), ${table}, ${SHARDING_KEY})`;
  await command(client, create);
  const columns = await values<{ n: string | number }>(
    client,
    `SELECT count() AS n FROM system.columns WHERE database = currentDatabase() AND table IN ('events', '${table}')
      GROUP BY name, type HAVING n < 2`,
  );
  if (columns.length === 0) return;
  // It has no rows of its own: inserts wait until the nodes have them.
  await whileLocked(async () => {
    await command(client, 'DROP TABLE IF EXISTS events');
    await command(client, create);
  });
}

/** True for a table of the present layout: the first one had no quarters of an hour. */
async function isPresent(client: ClickHouseClient, table: string): Promise<boolean> {
  const found = await values(
    client,
    `SELECT name FROM system.columns WHERE database = currentDatabase() AND table = '${table}' AND name = 'slot'`,
  );
  return found.length > 0;
}

/** Copies the events to a table of the present layout, which then takes the place of the first one. */
async function upgrade(
  client: ClickHouseClient,
  table: string,
  address: ClickHouseAddress,
): Promise<void> {
  await command(client, `DROP TABLE IF EXISTS ${table}_next`);
  await command(client, createTable(`${table}_next`, engineSql(address)));
  const parts = await values<{ partition: string }>(
    client,
    `SELECT DISTINCT partition FROM system.parts WHERE database = currentDatabase() AND table = '${table}' AND active`,
  );
  // One after the other: none takes as long as a statement may.
  for (const { partition } of parts) {
    await command(
      client,
      `INSERT INTO ${table}_next (${STORED_COLUMNS.join(', ')}) SELECT ${FIRST_VALUES} FROM ${table}
        WHERE toRelativeQuarterNum(toDateTime(intDiv(at, 1000000), 'UTC')) = ${Number(partition)}`,
    );
  }
  await command(client, `RENAME TABLE ${table} TO ${table}_first, ${table}_next TO ${table}`);
  await command(client, `DROP TABLE ${table}_first`);
}

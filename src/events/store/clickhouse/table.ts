import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClickHouseClient } from '@clickhouse/client';
import type { ClickHouseAddress } from '../../../infra/clickhouse-address.ts';
import { db, execute } from '../../../infra/db.ts';
import {
  ADDED_COLUMNS,
  createTable,
  EARLIER_VALUES,
  FIRST_VALUES,
  STORED_COLUMNS,
} from './schema.ts';

/*
 * A single server has the table `events`. In a cluster, every node has `events_local` with the
 * events of its shard, and `events`, which covers all shards (`Distributed`).
 */

/** Old servers support dictionary-encoded columns only with this setting. */
const SETTINGS = { allow_experimental_low_cardinality_type: 1 } as Record<string, number>;

/**
 * Events are sharded by id regardless of workspace, so that all nodes share the work of a query.
 */
const SHARDING_KEY = 'cityHash64(id)';

/** Name of the table in which the server itself stores rows. */
export const storedIn = (table: string, { cluster }: ClickHouseAddress): string =>
  cluster === undefined ? table : `${table}_local`;

/** Set while this process holds the lock on the tables. */
const holding = new AsyncLocalStorage<true>();

/** Runs a function while no other transaction adds events to the tables or copies them. */
export async function whileLocked<Result>(work: () => Promise<Result>): Promise<Result> {
  if (holding.getStore()) return work();
  return db().transaction(async (trx) => {
    await execute(trx, "SELECT pg_advisory_xact_lock(hashtextextended('event_outbox', 0))");
    return holding.run(true, work);
  });
}

/**
 * Creates the tables of a server or migrates them to the current layout.
 *
 * @returns the number of nodes per shard
 * @throws Error when the tables are neither those of a single server nor of a cluster node
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
    // A former single server, which becomes the first shard.
    await whileLocked(() => becomeNode(client, address));
  }
  await command(client, createTable(table, engineSql(address)));
  await addColumns(client, table);
  if (await isPresent(client, table)) {
    // An earlier upgrade may have been interrupted before its end.
    await command(client, `DROP TABLE IF EXISTS ${table}_first`);
  } else {
    // Only one process copies the table, and no events are added meanwhile.
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
  const [existing] = await values<{ engine: string }>(
    client,
    `SELECT engine FROM system.tables WHERE database = currentDatabase() AND name = '${table}'`,
  );
  return existing?.engine;
}

/**
 * Builds the engine clause. Old servers have no macro for the database, and a path belongs to one
 * table forever.
 */
function engineSql({ isReplicated, database }: ClickHouseAddress): string {
  if (!isReplicated) return 'MergeTree';
  return `ReplicatedMergeTree('/clickhouse/tables/{shard}/${database}/events_local', '{replica}')`;
}

/**
 * Checks the nodes of a cluster. Rows are deleted only on nodes named by EVENTS_URL, and would
 * remain on others.
 *
 * @returns the number of nodes per shard
 * @throws Error when the cluster has nodes that EVENTS_URL does not name, or shards with fewer
 * nodes than others
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

/** Turns the events of a single server into those of its shard. */
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

/** Creates the distributed table over the tables of all nodes, with the same columns. */
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
  // The distributed table stores no rows: inserts wait until the nodes have them.
  await whileLocked(async () => {
    await command(client, 'DROP TABLE IF EXISTS events');
    await command(client, create);
  });
}

/** Returns true for a table in the current layout. The first layout had no quarter-hours. */
async function isPresent(client: ClickHouseClient, table: string): Promise<boolean> {
  const columns = await values(
    client,
    `SELECT name FROM system.columns WHERE database = currentDatabase() AND table = '${table}' AND name = 'slot'`,
  );
  return columns.length > 0;
}

/** Adds the columns that a table of an earlier release lacks. */
async function addColumns(client: ClickHouseClient, table: string): Promise<void> {
  if ((await missingColumns(client, table)).length === 0) return;
  await whileLocked(async () => {
    // Read again under the lock, because old servers do not know ADD COLUMN IF NOT EXISTS.
    for (const { name, type } of await missingColumns(client, table)) {
      const earlier = EARLIER_VALUES[name];
      const value = earlier === undefined ? '' : ` DEFAULT ${earlier}`;
      await command(client, `ALTER TABLE ${table} ADD COLUMN ${name} ${type}${value}`);
    }
  });
}

async function missingColumns(client: ClickHouseClient, table: string) {
  const existing = await values<{ name: string }>(
    client,
    `SELECT name FROM system.columns WHERE database = currentDatabase() AND table = '${table}'`,
  );
  return ADDED_COLUMNS.filter((column) => !existing.some(({ name }) => name === column.name));
}

/** Copies the events to a table in the current layout, which then replaces the old one. */
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
  // One partition at a time, so that no statement exceeds its time limit.
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

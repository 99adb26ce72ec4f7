import type { ClickHouseClient } from '@clickhouse/client';
import { type Db, db, execute } from '../../../infra/db.ts';
import { createTable, FIRST_VALUES, STORED_COLUMNS } from './schema.ts';

/** Old servers have columns with a dictionary only where it is asked for. */
const SETTINGS = { allow_experimental_low_cardinality_type: 1 } as Record<string, number>;

/** Creates the table of events, or gives it the present layout. */
export async function prepareTable(client: ClickHouseClient): Promise<void> {
  await command(client, createTable('events'));
  if (await isPresent(client)) {
    // An upgrade may have been interrupted before its end.
    await command(client, 'DROP TABLE IF EXISTS events_first');
    return;
  }
  await db().transaction(async (trx) => {
    // No events are added to the table while it is copied, and one process copies it.
    await lockTable(trx);
    if (!(await isPresent(client))) await upgrade(client);
  });
}

/** Waits until no other transaction adds events to the table or copies it, and keeps others from it until it ends. */
export async function lockTable(trx: Db): Promise<void> {
  await execute(trx, "SELECT pg_advisory_xact_lock(hashtextextended('event_outbox', 0))");
}

const command = (client: ClickHouseClient, query: string) =>
  client.command({ query, clickhouse_settings: SETTINGS });

async function values<Row>(client: ClickHouseClient, query: string): Promise<Row[]> {
  return (await client.query({ query, format: 'JSONEachRow' })).json<Row>();
}

/** True for a table of the present layout: the first one had no quarters of an hour. */
async function isPresent(client: ClickHouseClient): Promise<boolean> {
  const found = await values(
    client,
    "SELECT name FROM system.columns WHERE database = currentDatabase() AND table = 'events' AND name = 'slot'",
  );
  return found.length > 0;
}

/** Copies the events to a table of the present layout, which then takes the place of the first one. */
async function upgrade(client: ClickHouseClient): Promise<void> {
  await command(client, 'DROP TABLE IF EXISTS events_next');
  await command(client, createTable('events_next'));
  const parts = await values<{ partition: string }>(
    client,
    "SELECT DISTINCT partition FROM system.parts WHERE database = currentDatabase() AND table = 'events' AND active",
  );
  // One after the other: none takes as long as a statement may.
  for (const { partition } of parts) {
    await command(
      client,
      `INSERT INTO events_next (${STORED_COLUMNS.join(', ')}) SELECT ${FIRST_VALUES} FROM events
        WHERE toRelativeQuarterNum(toDateTime(intDiv(at, 1000000), 'UTC')) = ${Number(partition)}`,
    );
  }
  await command(client, 'RENAME TABLE events TO events_first, events_next TO events');
  await command(client, 'DROP TABLE events_first');
}

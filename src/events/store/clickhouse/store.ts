import type { EventRow } from '../../event.ts';
import { append, appendVisits, type Outbox } from '../postgres/append.ts';
import { postgresStore } from '../postgres/store.ts';
import type { EventsStore } from '../store.ts';
import { ClickHouse } from './connection.ts';
import { deleteErased, eraseRecords } from './erase.ts';
import * as lists from './list.ts';
import { deleteFailedBatches, moveEvents } from './move.ts';
import { addToOutbox } from './pending.ts';
import * as queries from './queries.ts';
import { retainVisits } from './retention.ts';
import { isMoved } from './schema.ts';

/** Clicks, scans and views are counted in Postgres and wait there until they are moved. */
const OUTBOX: Outbox = { has: isMoved, insert: addToOutbox };

/** An event store that holds connections. */
export interface ClickHouseStore extends EventsStore {
  /** Closes the connections. */
  close(): Promise<void>;
}

/**
 * Creates a store that keeps events in ClickHouse. Clicks, scans and views are moved there in
 * batches; until then, and for everything that must be part of a visit's transaction, they are in
 * Postgres, which also keeps leads and sales.
 *
 * @param url value of the setting EVENTS_URL
 */
export function clickhouseStore(url: string): ClickHouseStore {
  const clickhouse = new ClickHouse(url);
  return {
    ...postgresStore,
    appendVisits: (trx, visits) => appendVisits(trx, visits, OUTBOX),
    append: (trx, events: readonly EventRow[]) => append(trx, events, OUTBOX),
    list: (...args) => lists.list(clickhouse, ...args),
    sumStored: (...args) => lists.sumStored(clickhouse, ...args),
    findKnown: (...args) => lists.findKnown(clickhouse, ...args),
    countUpTo: (...args) => lists.countUpTo(clickhouse, ...args),
    findVisit: (...args) => lists.findVisit(clickhouse, ...args),
    findVisits: (...args) => lists.findVisits(clickhouse, ...args),
    findNewestNames: (...args) => lists.findNewestNames(clickhouse, ...args),
    totals: (query) => queries.totals(clickhouse, query),
    countByValue: (...args) => queries.countByValue(clickhouse, ...args),
    countByTime: (query) => queries.countByTime(clickhouse, query),
    countVisitors: (query) => queries.countVisitors(clickhouse, query),
    findFirstTime: (projectId) => queries.findFirstTime(clickhouse, projectId),
    listValues: (...args) => queries.listValues(clickhouse, ...args),
    eraseRecords,
    // Postgres first, so that its maintenance runs even while ClickHouse is unavailable.
    async retain(log) {
      await postgresStore.retain(log);
      // Retention and erasure delete visits only from ClickHouse, so the outbox is moved first.
      await moveEvents(clickhouse);
      await retainVisits(clickhouse, log);
      await deleteErased(clickhouse);
      await deleteFailedBatches(clickhouse);
    },
    async compact(log) {
      await postgresStore.compact(log);
      await moveEvents(clickhouse);
    },
    close: () => clickhouse.close(),
  };
}

import type { EventRow } from '../../event.ts';
import { append, appendVisits, type Elsewhere } from '../postgres/append.ts';
import { postgresStore } from '../postgres/store.ts';
import type { EventsStore } from '../store.ts';
import { ClickHouse } from './connection.ts';
import { deleteErased, eraseRecords } from './erase.ts';
import * as lists from './list.ts';
import { deleteFailedBatches, moveEvents } from './move.ts';
import { addToOutbox } from './pending.ts';
import * as questions from './questions.ts';
import { retainVisits } from './retention.ts';
import { isMoved } from './schema.ts';

/** Clicks, scans and views are counted in Postgres and wait there until they are moved. */
const OUTBOX: Elsewhere = { has: isMoved, insert: addToOutbox };

/** A store of events that has connections. */
export interface ClickHouseStore extends EventsStore {
  /** Ends its connections. */
  close(): Promise<void>;
}

/**
 * Events in ClickHouse. Clicks, scans and views are stored there by and by; until then, and with all that has to be in the
 * transaction of a visit, they are in Postgres, which keeps leads and sales.
 *
 * @param url of the setting EVENTS_URL
 */
export function clickhouseStore(url: string): ClickHouseStore {
  const clickhouse = new ClickHouse(url);
  return {
    ...postgresStore,
    appendVisits: (trx, visits) => appendVisits(trx, visits, OUTBOX),
    append: (trx, events: readonly EventRow[]) => append(trx, events, OUTBOX),
    list: (...asked) => lists.list(clickhouse, ...asked),
    sumStored: (...asked) => lists.sumStored(clickhouse, ...asked),
    findKnown: (...asked) => lists.findKnown(clickhouse, ...asked),
    countUpTo: (...asked) => lists.countUpTo(clickhouse, ...asked),
    findVisit: (...asked) => lists.findVisit(clickhouse, ...asked),
    findNewestNames: (...asked) => lists.findNewestNames(clickhouse, ...asked),
    totals: (question) => questions.totals(clickhouse, question),
    countByValue: (...asked) => questions.countByValue(clickhouse, ...asked),
    countByTime: (question) => questions.countByTime(clickhouse, question),
    countVisitors: (question) => questions.countVisitors(clickhouse, question),
    findFirstTime: (projectId) => questions.findFirstTime(clickhouse, projectId),
    listValues: (...asked) => questions.listValues(clickhouse, ...asked),
    eraseRecords,
    // Postgres first: its upkeep goes on while ClickHouse is away.
    async retain(log) {
      await postgresStore.retain(log);
      // Retention and erasure delete visits in ClickHouse only, so those in the outbox are moved first.
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

import { db } from '../../../infra/db.ts';
import type { EventsStore } from '../store.ts';
import { setAmounts } from './amounts.ts';
import { append, appendVisits } from './append.ts';
import { buildBlocks, resetBlocks } from './build-blocks.ts';
import { countCustomers } from './counters.ts';
import { eraseCustomer, eraseRecords, moveCustomers } from './erase.ts';
import {
  countUpTo,
  findKeptNames,
  findKnown,
  findLatestLead,
  findLeadOfClick,
  findNewestNames,
  findSale,
  findVisit,
  findVisits,
  list,
  listClickIds,
  listOfCustomer,
  sumCustomers,
  sumStored,
} from './list.ts';
import {
  countByTime,
  countByValue,
  countVisitors,
  findFirstTime,
  listValues,
  totals,
} from './queries.ts';
import { retainEvents } from './retention.ts';

/** Events in Postgres: a partitioned table of rows, and blocks of them that answer most queries. */
export const postgresStore: EventsStore = {
  appendVisits,
  append,
  countCustomers,
  list,
  sumStored,
  sumCustomers,
  listOfCustomer,
  listClickIds,
  countUpTo,
  findVisit,
  findVisits,
  findLatestLead,
  findLeadOfClick,
  findSale,
  findNewestNames,
  findKeptNames,
  findKnown,
  totals,
  countByValue,
  countByTime,
  countVisitors,
  findFirstTime,
  listValues,
  eraseRecords,
  eraseCustomer,
  moveCustomers,
  setAmounts,
  retain: retainEvents,
  compact: buildBlocks,
  rebuild: (projectId) => db().transaction((trx) => resetBlocks(trx, projectId)),
};

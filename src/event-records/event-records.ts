import type { EventRecords } from '../events/records.ts';
import { findTitles } from '../pages/queries.ts';
import { findNames, readCounters } from './analytics.ts';
import { toEvents } from './context.ts';
import { eventRecord } from './record.ts';
import { resolveRecords } from './resolve.ts';

/** The records that events are about, as the endpoints of events need them. */
export const eventRecords: EventRecords = {
  schema: eventRecord,
  toEvents,
  resolveRecords,
  readCounters,
  names: { findNames, findTitles },
};

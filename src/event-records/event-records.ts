import type { EventRecords } from '../events/records.ts';
import { findTitles } from '../pages/queries.ts';
import { findNames, readCounters } from './analytics.ts';
import { toEvents } from './context.ts';
import { findLabels, listLabeled } from './labels.ts';
import { eventRecord } from './record.ts';
import { resolveRecords } from './resolve.ts';

/** Access of the event endpoints to the records that events are about. */
export const eventRecords: EventRecords = {
  schema: eventRecord,
  toEvents,
  resolveRecords,
  readCounters,
  names: { findNames, findTitles, findLabels, listLabeled },
};

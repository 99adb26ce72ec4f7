import { config } from '../../config.ts';
import { clickhouseStore } from './clickhouse/store.ts';
import { postgresStore } from './postgres/store.ts';
import type { EventsStore } from './store.ts';

// One per process: its settings name one store, and its connections are shared.
let store: EventsStore | undefined;

/** Returns the configured event store: Postgres, or the ClickHouse named by EVENTS_URL. */
export function eventsStore(): EventsStore {
  const { EVENTS_URL } = config();
  store ??= EVENTS_URL === '' ? postgresStore : clickhouseStore(EVENTS_URL);
  return store;
}

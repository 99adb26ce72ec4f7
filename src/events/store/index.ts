import { config } from '../../config.ts';
import { clickhouseStore } from './clickhouse/store.ts';
import { postgresStore } from './postgres/store.ts';
import type { EventsStore } from './store.ts';

/**
 * The store that the service keeps its events in. Its first use reads the configuration, which programs that start their
 * servers change after this is loaded, and puts the store that EVENTS_URL names in its place.
 */
export let eventsStore: EventsStore = new Proxy(postgresStore, {
  get(_, name) {
    const { EVENTS_URL } = config();
    eventsStore = EVENTS_URL === '' ? postgresStore : clickhouseStore(EVENTS_URL);
    return Reflect.get(eventsStore, name) as unknown;
  },
});

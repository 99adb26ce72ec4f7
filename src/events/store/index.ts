import { postgresStore } from './postgres/store.ts';
import type { EventsStore } from './store.ts';

/** The store that the service keeps its events in. */
export const eventsStore: EventsStore = postgresStore;

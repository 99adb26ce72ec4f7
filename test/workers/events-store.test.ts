import { postgresStore } from '../../src/events/store/postgres/store.ts';
import { describeEventsStore } from '../support/events-store.ts';

describeEventsStore('in Postgres', postgresStore);

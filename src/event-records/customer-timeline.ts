import { findByRef } from '../customers/find.ts';
import type { Customer } from '../customers/model.ts';
import { eventsStore } from '../events/store/index.ts';
import type { ListedEvent, ListPage } from '../events/store/store.ts';
import { Joi, paging, recordId, requiredText, requiredTime } from '../http/fields.ts';
import { found, pageOf, type Route, route } from '../http/route.ts';
import { timeOfId } from '../ids.ts';
import { db, rows } from '../infra/db.ts';
import type { Position } from '../infra/keyset.ts';
import type { Paging } from '../workspaces/lists.ts';
import { toEvents } from './context.ts';
import { eventRecord } from './record.ts';

/*
 * The timeline of a customer has three sources: their leads, sales and refunds; the clicks that
 * these belong to; and the merges by which they got the external ids of others.
 */

/** Maximum number of clicks in a timeline: those of the newest leads and sales. */
const MAX_CLICKS = 1_000;

/** An external id that a customer got by a merge. */
interface Merge {
  merge: { externalId: string; customerId: string };
}

/** An entry of the timeline, newest first by time and id. */
type Entry = { atMicros: number; id: string } & ({ event: ListedEvent } | Merge);

type TimelinePage = Pick<ListPage, 'limit' | 'after'>;

const merge = Joi.object({
  event: Joi.string().valid('merge').required().description('Kind of the entry.'),
  timestamp: requiredTime.description('Time of the merge.'),
  externalId: requiredText
    .description('External id that means this customer from then on.')
    .example('guest-7'),
  customerId: requiredText
    .description('Id of the merged customer, which means this customer from then on.')
    .example('cus_9Kd3fGh5Jk'),
}).meta({ name: 'CustomerMergeEvent' });

export const customerTimelineRoutes: Route[] = [
  route<{ params: { id: string }; query: Paging }>({
    extension: true,
    tag: 'Customers',
    scope: 'events.read',
    plan: 'business',
    method: 'get',
    path: '/customers/{id}/timeline',
    operationId: 'listCustomerTimeline',
    isHeavy: true,
    summary: 'List the timeline of a customer',
    description:
      'Returns the clicks, leads, sales and refunds of a customer, and the merges with others, ' +
      `newest first. Of the clicks, it has the latest ${MAX_CLICKS}.`,
    params: Joi.object({ id: recordId().required() }),
    query: Joi.object<Paging>(paging(100)),
    answers: { 200: Joi.array().items(Joi.alternatives(eventRecord, merge)) },
    async handle({ caller: { projectId }, params: { id: ref }, query }) {
      const customer = found(await findByRef(projectId, ref), `customer "${ref}"`);
      const { page, pageSize, after } = query;
      const skipped = (page - 1) * pageSize;
      const entries = await listEntries(customer, {
        limit: skipped + pageSize + 1,
        after: after && { atMicros: Number(after[0]), id: after[1]! },
      });
      const shown = entries.slice(skipped, skipped + pageSize);
      const last = entries.length > skipped + pageSize ? shown.at(-1) : undefined;
      const next: Position | undefined = last && [String(last.atMicros), last.id];
      return pageOf({ rows: await toRecords(projectId, shown), next }, (record) => record);
    },
  }),
];

/** Lists the newest entries after a position. */
async function listEntries(customer: Customer, page: TimelinePage): Promise<Entry[]> {
  const { project_id: projectId, id } = customer;
  const [events, clicks, merges] = await Promise.all([
    eventsStore().listOfCustomer(projectId, id, page),
    listClicks(customer),
    listMerges(customer),
  ]);
  const { after, limit } = page;
  const others = [...clicks, ...merges].filter(
    (entry) => after === undefined || compare(after, entry) < 0,
  );
  return [...events.map(ofEvent), ...others].toSorted(compare).slice(0, limit);
}

type At = Pick<Entry, 'atMicros' | 'id'>;

const compare = (a: At, b: At): number =>
  b.atMicros - a.atMicros || (a.id < b.id ? 1 : -Number(a.id > b.id));

const ofEvent = (event: ListedEvent): Entry => ({
  atMicros: event.atMicros,
  id: event.id,
  event,
});

async function listClicks({
  project_id: projectId,
  id,
  click_id,
  last_click_id,
}: Customer): Promise<Entry[]> {
  const ofEvents = await eventsStore().listClickIds(projectId, id, MAX_CLICKS);
  const ids = [click_id, last_click_id, ...ofEvents].filter((clickId) => clickId !== null);
  return (await eventsStore().findVisits(projectId, [...new Set(ids)])).map(ofEvent);
}

/**
 * True for the external id of a customer who was merged. Payment processors give others, whose id was
 * made for them.
 */
const isMerged = ({ customerId, atMicros }: { customerId: string; atMicros: number }): boolean =>
  timeOfId(customerId) < Math.floor(atMicros / 1_000);

async function listMerges({ project_id: projectId, id }: Customer): Promise<Entry[]> {
  const aliases = await rows<{ externalId: string; customerId: string; atMicros: number }>(
    db(),
    `SELECT external_id AS "externalId", merged_id AS "customerId",
            (extract(epoch FROM merged_at) * 1000000)::bigint AS "atMicros"
       FROM customer_aliases WHERE project_id = :projectId AND customer_id = :id`,
    { projectId, id },
  );
  return aliases.filter(isMerged).map(({ atMicros, ...alias }) => ({
    atMicros,
    id: alias.customerId,
    merge: alias,
  }));
}

/** Converts entries to public records, reading the records of all events together. */
async function toRecords(projectId: string, entries: readonly Entry[]): Promise<object[]> {
  const events = entries.flatMap((entry) => ('event' in entry ? [entry.event] : []));
  const records = (await toEvents(projectId, events)).values();
  return entries.map((entry) =>
    'event' in entry
      ? (records.next().value as object)
      : {
          event: 'merge',
          timestamp: new Date(Math.floor(entry.atMicros / 1_000)).toISOString(),
          ...entry.merge,
        },
  );
}

import { queueForDestinations } from '../destinations/outbox.ts';
import type { EventRow, StoredEvent } from '../events/event.ts';
import { kindOf } from '../events/kinds.ts';
import type { Db } from '../infra/db.ts';
import { filterMatcher } from '../webhooks/filter.ts';
import {
  isSubscribed,
  publishTo,
  type Subscriber,
  subscribersOf,
  withoutPassword,
} from '../webhooks/outbox.ts';
import { contextsOf } from './context.ts';
import { readPlaces } from './places.ts';
import { toEventData } from './record.ts';

/**
 * Publishes events to the webhooks and destinations of their workspaces, in the transaction that
 * stores them.
 */
export async function publishStored(trx: Db, rows: readonly EventRow[]): Promise<void> {
  await publishToWebhooks(trx, rows);
  await queueForDestinations(trx, rows);
}

async function publishToWebhooks(trx: Db, rows: readonly EventRow[]): Promise<void> {
  if (rows.length === 0) return;
  const projectIds = [...new Set(rows.map(({ project_id }) => project_id))];
  for (const [projectId, subscribers] of await subscribersOf(trx, projectIds)) {
    const ofWorkspace = rows.filter(({ project_id }) => project_id === projectId);
    await publish(trx, projectId, { rows: ofWorkspace, subscribers });
  }
}

async function publish(
  trx: Db,
  projectId: string,
  { rows, subscribers }: { rows: readonly EventRow[]; subscribers: readonly Subscriber[] },
): Promise<void> {
  const placeOf = await readPlaces(trx, projectId, { rows, subscribers });
  const matchers = new Map(
    subscribers.map(({ id, filter, countsSuspects }) => [
      id,
      filterMatcher(filter, countsSuspects),
    ]),
  );
  const subscribed = rows.flatMap((row) => {
    const { webhook: kind } = kindOf(row.event);
    if (kind === undefined) return [];
    const { place, named } = placeOf(row);
    const reached = subscribers.filter((one) => isSubscribed(one, { kind, place, named }));
    if (reached.length === 0) return [];
    const event: StoredEvent = { ...row, occurred_at: new Date(row.occurred_at) };
    const to = reached.filter(({ id }) => matchers.get(id)!(event));
    return to.length === 0 ? [] : [{ kind, event, to }];
  });
  if (subscribed.length === 0) return;
  const events = subscribed.map(({ event }) => event);
  const contextOf = await contextsOf(projectId, events, withoutPassword, trx);
  await publishTo(
    trx,
    projectId,
    subscribed.map(({ kind, event, to }) => ({
      event: {
        kind,
        occurredAt: event.occurred_at,
        recordId: event.link_id,
        customerId: event.customer_id ?? undefined,
        data: () => toEventData(event, contextOf(event)),
      },
      to,
    })),
  );
}

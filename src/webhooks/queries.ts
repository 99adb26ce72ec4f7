import { db } from '../infra/db.ts';
import type { Slice } from '../infra/keyset.ts';
import { newestFirst } from '../workspaces/lists.ts';
import { Attempt, Delivery } from './model.ts';
import type { DeliveryFilters, DeliveryQuery } from './schema.ts';

/** Queries the matching deliveries of a webhook. */
export function deliveriesOf(
  projectId: string,
  webhookId: string,
  { state, kind, recordId, since, until }: DeliveryFilters,
  connection = db(),
) {
  const deliveries = Delivery.of(projectId, connection).where({ webhook_id: webhookId });
  if (state !== undefined) deliveries.whereIn('state', state);
  if (kind !== undefined) deliveries.whereIn('kind', kind);
  if (recordId !== undefined) deliveries.where({ record_id: recordId });
  if (since !== undefined) deliveries.where('created_at', '>=', since);
  if (until !== undefined) deliveries.where('created_at', '<', until);
  return deliveries;
}

/** Reads a page of the matching deliveries of a webhook, newest first. */
export async function listDeliveries(
  projectId: string,
  webhookId: string,
  query: DeliveryQuery,
): Promise<Slice<Delivery>> {
  return newestFirst(deliveriesOf(projectId, webhookId, query), query);
}

/** Reads a delivery and its attempts, newest first. */
export async function findDelivery(
  projectId: string,
  webhookId: string,
  id: string,
): Promise<{ delivery: Delivery; attempts: Attempt[] } | undefined> {
  const delivery = await Delivery.of(projectId).where({ webhook_id: webhookId, id }).first();
  if (delivery === undefined) return undefined;
  const attempts = await Attempt.of(projectId)
    .where({ webhook_id: webhookId, delivery_id: id })
    .orderBy('id', 'desc');
  return { delivery, attempts };
}

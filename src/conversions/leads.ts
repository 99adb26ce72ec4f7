import { findByExternalId } from '../customers/find.ts';
import { Refusal } from '../errors.ts';
import { attributed, type StoredEvent } from '../events/event.ts';
import { eventsStore } from '../events/store/index.ts';
import { newId } from '../ids.ts';
import type { Db } from '../infra/db.ts';
import type { JobContext } from '../queues/definition.ts';
import type { RecordEvents } from './announced.ts';
import { knownClick } from './clicks.ts';
import type { NewLead, Tracked } from './jobs.ts';
import type { LeadResult } from './record.ts';
import type { LeadBody } from './schema.ts';
import { keepDetails, takeCustomer } from './take-customer.ts';
import { customersOfClicks } from './waiting.ts';

/**
 * Records leads, unless they are deferred, and their customer if they are new. A repeat with the
 * same customer, event name and click is the same lead, and changes nothing. A page changes nothing
 * of an existing customer.
 */
export async function recordLead(
  trx: Db,
  job: JobContext,
  { eventId, at, lead, isFromPage = false }: NewLead,
  recordEvents: RecordEvents,
): Promise<Tracked<LeadResult>> {
  const { projectId } = job;
  const click = await clickOfLead(trx, job, lead);
  const { customer, isNew } = await takeCustomer(trx, projectId, lead, click);
  const { eventName, metadata = null, quantity = 1, deferred = false } = lead;
  const named = { customerId: lead.customerExternalId, clickId: click.id };
  if (!isNew) {
    const key = { projectId, customerId: customer.id, eventName, clickId: click.id };
    const same = deferred ? undefined : await eventsStore().findLeadOfClick(trx, key);
    if (same !== undefined) {
      // The stored metadata may come from software of the workspace.
      const seen = isFromPage ? metadata : same.metadata;
      const answer = { ...named, eventName, linkId: same.link_id, metadata: seen };
      return { answer, isReplayed: true };
    }
    if (!isFromPage) await keepDetails(trx, customer, lead, click);
  }
  if (!deferred) {
    const common = { project_id: projectId, occurred_at: at, customer_id: customer.id };
    const event = { ...common, event: 'lead' as const, event_name: eventName, metadata };
    const further = Array.from({ length: quantity - 1 }, () => newId('event'));
    await recordEvents([eventId, ...further].map((id) => attributed(click, { ...event, id })));
  } else if (isNew || !isFromPage) {
    await recordEvents([], { projectId, customerId: customer.id, at: click.occurred_at });
  }
  const answer = { ...named, eventName, linkId: click.link_id, metadata };
  return { answer, isReplayed: false };
}

/**
 * Finds the click of a lead: the one that it names, or else the latest click of its customer.
 *
 * @throws Refusal `not_found` for an unknown click, `unprocessable_entity` if there is none;
 * Postponed while it may not be stored yet
 */
async function clickOfLead(
  trx: Db,
  job: JobContext,
  { clickId, customerExternalId }: LeadBody,
): Promise<StoredEvent> {
  if (clickId !== undefined) return knownClick(trx, job, clickId);
  const find = () => latestClickId(trx, job.projectId, customerExternalId);
  let latestClick = await find();
  if (latestClick === undefined) {
    await customersOfClicks.settled(job);
    latestClick = await find();
  }
  if (latestClick === undefined) {
    throw new Refusal(
      'unprocessable_entity',
      `clickId is required: there is no customer "${customerExternalId}" with a click`,
    );
  }
  return knownClick(trx, job, latestClick);
}

/** Finds the latest click of a customer. Customers of earlier releases have that of their leads. */
async function latestClickId(
  trx: Db,
  projectId: string,
  externalId: string,
): Promise<string | undefined> {
  const customer = await findByExternalId(projectId, externalId, trx);
  if (customer === undefined) return undefined;
  if (customer.last_click_id !== null) return customer.last_click_id;
  const key = { projectId, customerId: customer.id, eventName: null };
  const lead = await eventsStore().findLatestLead(trx, key);
  return lead?.click_id ?? customer.click_id ?? undefined;
}

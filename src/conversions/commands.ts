import { minorUnitsOf } from '../currency/convert.ts';
import { addPending } from '../currency/pending.ts';
import { findByExternalId } from '../customers/find.ts';
import { Customer } from '../customers/model.ts';
import { Refusal } from '../errors.ts';
import { attributed, type EventRow, type StoredEvent } from '../events/event.ts';
import { eventsStore } from '../events/store/index.ts';
import { newId } from '../ids.ts';
import { type Db, rows } from '../infra/db.ts';
import type { JobContext } from '../queues/definition.ts';
import { handlers } from '../queues/job.ts';
import { canBeClickId } from '../visitors/click-id.ts';
import { UNKNOWN } from '../visitors/places.ts';
import { announced, type RecordEvents } from './announced.ts';
import { claimInvoice } from './invoices.ts';
import { conversionJobs, type NewLead, type NewSale, type Tracked } from './jobs.ts';
import { randomName } from './random-name.ts';
import { type LeadResult, noClick, noCustomer, type SaleResult } from './record.ts';
import { recordRefund } from './refunds.ts';
import type { CustomerBody, LeadBody, SaleBody } from './schema.ts';
import { customersOfClicks, leads, visits } from './waiting.ts';

/** Name of the lead that is recorded with a sale for a customer without a lead. */
const DIRECT_SALE = 'Direct sale';

const resultOf = ({ sale, converted }: NewSale): SaleResult => ({
  eventName: sale.eventName,
  customerId: sale.customerExternalId,
  amount: converted.amountCents ?? 0,
  paymentProcessor: sale.paymentProcessor,
  invoiceId: sale.invoiceId,
  currency: 'usd',
  metadata: sale.metadata,
  rateDate: converted.rateDate ?? undefined,
  pending: converted.amountCents === null ? true : undefined,
});

async function record(
  trx: Db,
  job: JobContext,
  data: NewSale,
  recordEvents: RecordEvents,
): Promise<void> {
  const { projectId } = job;
  const { eventId, leadEventId, at, sale, converted } = data;
  if (data.knownCustomer === true) await refuseUnknownCustomer(trx, job, sale);
  const click = sale.clickId === null ? undefined : await knownClick(trx, job, sale.clickId);
  const { customer, isNew } = await takeCustomer(trx, projectId, sale, click);
  if (!isNew) await keepDetails(trx, customer, sale, click);
  const rows: EventRow[] = [];
  const common = { project_id: projectId, occurred_at: at, customer_id: customer.id };
  let from = click;
  if (click === undefined) {
    from = await attribution(trx, job, { customer, isNew }, sale);
  } else if (isNew) {
    const event_name = sale.leadEventName ?? DIRECT_SALE;
    rows.push(attributed(click, { ...common, event: 'lead', id: leadEventId, event_name }));
  }
  rows.push(
    attributed(from, {
      ...common,
      event: 'sale',
      id: eventId,
      event_name: sale.eventName,
      metadata: sale.metadata,
      amount_cents: converted.amountCents,
      sale: {
        paymentProcessor: sale.paymentProcessor,
        invoiceId: sale.invoiceId,
        amount: sale.amount,
        currency: sale.currency,
        rate: converted.rate,
        rateDate: converted.rateDate,
        decimals: converted.decimals,
      },
    }),
  );
  await recordEvents(rows);
  if (converted.amountCents === null) {
    const { amount, currency } = sale;
    const { decimals = minorUnitsOf(currency) } = converted;
    const amounts = { currency, decimals, fromAmount: 0, toAmount: amount };
    await addPending(trx, [{ projectId, eventId, at, saleId: eventId, ...amounts }]);
  }
  if (sale.invoiceId !== null) {
    await trx('invoices')
      .where({ project_id: projectId, invoice_id: sale.invoiceId })
      .update({ customer_id: customer.id });
  }
}

/** @throws Refusal `not_found`; Postponed while a lead that the sale names may not be stored yet */
async function refuseUnknownCustomer(
  trx: Db,
  job: JobContext,
  { customerExternalId, leadEventName }: SaleBody,
): Promise<void> {
  const find = () => findByExternalId(job.projectId, customerExternalId, trx);
  if ((await find()) !== undefined) return;
  // Most shops report all sales, and few of their customers are known: only a named lead is awaited.
  if (leadEventName !== null) {
    await leads.settled(job);
    if ((await find()) !== undefined) return;
  }
  throw noCustomer(customerExternalId);
}

/**
 * Records leads, unless they are deferred, and their customer if they are new. A repeat with the
 * same customer, event name and click is the same lead, and changes nothing.
 */
async function recordLead(
  trx: Db,
  job: JobContext,
  { eventId, at, lead }: NewLead,
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
      const answer = { ...named, eventName, linkId: same.link_id, metadata: same.metadata };
      return { answer, isReplayed: true };
    }
    await keepDetails(trx, customer, lead, click);
  }
  if (!deferred) {
    const common = { project_id: projectId, occurred_at: at, customer_id: customer.id };
    const event = { ...common, event: 'lead' as const, event_name: eventName, metadata };
    const further = Array.from({ length: quantity - 1 }, () => newId('event'));
    await recordEvents([eventId, ...further].map((id) => attributed(click, { ...event, id })));
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

/**
 * Attributes a sale that names no click: to the click of the lead, or else to the customer's first
 * click.
 */
async function attribution(
  trx: Db,
  job: JobContext,
  { customer, isNew }: { customer: Customer; isNew: boolean },
  { leadEventName }: SaleBody,
): Promise<StoredEvent | undefined> {
  const { projectId } = job;
  const leadKey = { projectId, customerId: customer.id, eventName: leadEventName };
  const find = () => eventsStore().findLatestLead(trx, leadKey);
  const lead = isNew ? undefined : await find();
  if (lead !== undefined) return lead;
  if (leadEventName !== null) {
    await leads.settled(job);
    // A customer who is created by this sale has no lead.
    if (isNew) return undefined;
    const late = await find();
    if (late !== undefined) return late;
    throw new Refusal('not_found', `The customer has no lead "${leadEventName}"`);
  }
  return customer.click_id === null
    ? undefined
    : eventsStore().findVisit(projectId, customer.click_id, trx);
}

/**
 * Finds the click of an event.
 *
 * @throws Postponed while it may be accepted but not stored yet, Refusal `not_found` if it does not
 * exist
 */
async function knownClick(trx: Db, job: JobContext, clickId: string): Promise<StoredEvent> {
  const find = () => eventsStore().findVisit(job.projectId, clickId, trx);
  const click = await find();
  if (click !== undefined) return click;
  if (!canBeClickId(clickId)) throw noClick(clickId);
  await visits.settled(job);
  const late = await find();
  if (late === undefined) throw noClick(clickId);
  return late;
}

/**
 * Finds or creates the customer of a body; an existing one is locked until the transaction ends.
 */
async function takeCustomer(
  trx: Db,
  projectId: string,
  body: CustomerBody,
  click: StoredEvent | undefined,
): Promise<{ customer: Customer; isNew: boolean }> {
  const { customerExternalId: external_id, customerName, customerEmail, customerAvatar } = body;
  const [created] = await rows<Customer>(
    trx,
    `INSERT INTO customers (project_id, id, external_id, name, email, avatar, click_id,
                            last_click_id, last_click_at, country)
     SELECT :projectId, :id, :external_id, :name, :email, :avatar, :clickId, :clickId, :clickAt, :country
      WHERE NOT EXISTS (SELECT FROM customer_aliases
                         WHERE project_id = :projectId AND external_id = :external_id)
     ON CONFLICT (project_id, external_id) DO NOTHING RETURNING *`,
    {
      projectId,
      id: newId('customer'),
      external_id,
      name: customerName ?? randomName(),
      email: customerEmail ?? null,
      avatar: customerAvatar ?? null,
      clickId: click?.id ?? null,
      clickAt: click?.occurred_at ?? null,
      country: countryOf(click),
    },
  );
  const existing = await lockByExternalId(trx, projectId, external_id, created);
  if (existing !== undefined) return { customer: existing, isNew: false };
  if (created !== undefined) return { customer: created, isNew: true };
  throw new Error(`The customer "${external_id}" was deleted at the same moment`);
}

/**
 * Locks the customer whom an external id means, unless it is the one that was just created. The
 * insertion may have waited for a merge, whose external id it did not see yet.
 */
async function lockByExternalId(
  trx: Db,
  projectId: string,
  externalId: string,
  created: Customer | undefined,
): Promise<Customer | undefined> {
  const lock = (id: object) => Customer.of(projectId, trx).where(id).forUpdate().first();
  const same = created === undefined ? await lock({ external_id: externalId }) : undefined;
  if (same !== undefined) return same;
  const [alias] = await rows<{ customer_id: string }>(
    trx,
    'SELECT customer_id FROM customer_aliases WHERE project_id = ? AND external_id = ?',
    [projectId, externalId],
  );
  if (alias === undefined) return undefined;
  const merged = await lock({ id: alias.customer_id });
  if (merged === undefined) throw new Error(`The customer "${externalId}" is merged again`);
  if (created !== undefined) await Customer.of(projectId, trx).where({ id: created.id }).delete();
  return merged;
}

/** Country of a click; `null` if it is unknown. */
const countryOf = (click: StoredEvent | undefined): string | null =>
  click === undefined || click.country === UNKNOWN ? null : click.country;

/** True for a click that is not older than the latest one of a customer. */
const isLatest = (
  { id, occurred_at }: StoredEvent,
  { last_click_id, last_click_at }: Customer,
): boolean => last_click_id !== id && (last_click_at === null || occurred_at >= last_click_at);

/** Stores the details in a body for an existing customer. */
async function keepDetails(
  trx: Db,
  customer: Customer,
  { customerName, customerEmail, customerAvatar }: CustomerBody,
  click: StoredEvent | undefined,
): Promise<void> {
  const details = {
    ...(typeof customerName === 'string' ? { name: customerName } : {}),
    ...(typeof customerEmail === 'string' ? { email: customerEmail } : {}),
    ...(typeof customerAvatar === 'string' ? { avatar: customerAvatar } : {}),
    ...(customer.click_id === null && click !== undefined ? { click_id: click.id } : {}),
    ...(click !== undefined && isLatest(click, customer)
      ? { last_click_id: click.id, last_click_at: click.occurred_at }
      : {}),
  };
  if (Object.keys(details).length === 0) return;
  await Customer.of(customer.project_id, trx)
    .where({ id: customer.id })
    .patch({ ...details, updated_at: new Date() });
}

export const conversionHandlers = handlers(conversionJobs, {
  /**
   * Records a lead.
   *
   * @throws Refusal `not_found` for an unknown click, `unprocessable_entity` without a click;
   * Postponed while the click may not be stored yet
   */
  'lead.track': (data, job) =>
    announced(job, (trx, recordEvents) => recordLead(trx, job, data, recordEvents)),

  /**
   * Records a sale, once per invoice.
   *
   * @throws Refusal `not_found` for an unknown click or lead, or for an unknown customer who must be
   * known; `conflict` for an invoice with other contents; Postponed while the click or lead may not
   * be stored yet
   */
  'sale.track': (data, job) =>
    announced(job, async (trx, recordEvents) => {
      const { projectId } = job;
      const answer = resultOf(data);
      const first = await claimInvoice(trx, projectId, data, answer);
      if (first !== undefined) return { answer: first, isReplayed: true };
      await record(trx, job, data, recordEvents);
      return { answer, isReplayed: false };
    }),

  /** Records a refund, as {@link recordRefund}. */
  'refund.track': (data, job) =>
    announced(job, (trx, recordEvents) => recordRefund(trx, job, data, recordEvents)),
});

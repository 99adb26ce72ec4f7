import { createHash } from 'node:crypto';
import { adjectives, animals, uniqueNamesGenerator } from 'unique-names-generator';
import type { UsCents } from '../currency/convert.ts';
import { Customer } from '../customers/model.ts';
import { Refusal } from '../errors.ts';
import type { EventRow } from '../events/event.ts';
import { findClick, type StoredEvent } from '../events/queries.ts';
import { addEvents } from '../events/store.ts';
import { newId } from '../ids.ts';
import type { Db } from '../infra/db.ts';
import { UNKNOWN } from '../infra/places.ts';
import { once } from '../jobs/once.ts';
import type { JobContext } from '../queues/queue.ts';
import { findLead } from './attribution.ts';
import type { LeadResult, SaleResult } from './record.ts';
import type { CustomerBody, LeadBody, SaleBody } from './schema.ts';

/** Name of the lead that is recorded with a sale to somebody who was no lead before. */
const DIRECT_SALE = 'Direct sale';

/** Records a lead, and its customer where they are new. @throws Refusal `not_found` for an unknown click */
export function trackLead(
  { eventId, at, lead }: { eventId: string; at: string; lead: LeadBody },
  job: JobContext,
): Promise<LeadResult> {
  return once(job, async (trx) => {
    const { projectId } = job;
    const click = await knownClick(trx, projectId, lead.clickId);
    const { customer } = await customerOf(trx, projectId, lead, click);
    const { eventName, metadata = null } = lead;
    await addEvents(trx, [
      eventOf(projectId, 'lead', click, {
        id: eventId,
        occurred_at: at,
        event_name: eventName,
        metadata,
        customer_id: customer.id,
      }),
    ]);
    const result = {
      eventName,
      customerId: lead.customerExternalId,
      clickId: click.id,
      linkId: click.link_id,
      metadata,
    };
    return { result, changes: [] };
  });
}

/** What a sale's job is told. */
export interface NewSale {
  eventId: string;
  /** Of the lead that is recorded with a direct sale. */
  leadEventId: string;
  at: string;
  sale: SaleBody;
  converted: UsCents;
}

/** A sale, and whether its invoice had been recorded before. */
export interface TrackedSale {
  sale: SaleResult;
  isReplayed: boolean;
}

/**
 * Records a sale, once for each invoice.
 *
 * @throws Refusal `not_found` for an unknown click or lead, `conflict` for an invoice with other contents
 */
export function trackSale(data: NewSale, job: JobContext): Promise<TrackedSale> {
  return once<TrackedSale>(job, async (trx) => {
    const { projectId } = job;
    const result = resultOf(data);
    const replayed = await claimInvoice(trx, projectId, data, result);
    if (replayed !== undefined) {
      return { result: { sale: replayed, isReplayed: true }, changes: [] };
    }
    await record(trx, projectId, data);
    return { result: { sale: result, isReplayed: false }, changes: [] };
  });
}

const resultOf = ({ sale, converted }: NewSale): SaleResult => ({
  eventName: sale.eventName,
  customerId: sale.customerExternalId,
  amount: converted.amountCents,
  paymentProcessor: sale.paymentProcessor,
  invoiceId: sale.invoiceId,
  currency: 'usd',
  metadata: sale.metadata,
});

/**
 * Takes the invoice of a sale. Whoever comes second waits for the first one's commit, and gets its answer.
 *
 * @returns the first answer, where there was one
 */
async function claimInvoice(
  trx: Db,
  projectId: string,
  { sale }: NewSale,
  answer: SaleResult,
): Promise<SaleResult | undefined> {
  const { invoiceId } = sale;
  if (invoiceId === null) return undefined;
  const fingerprint = createHash('sha256').update(JSON.stringify(sale)).digest('base64url');
  const { rows } = await trx.raw<{ rows: object[] }>(
    `INSERT INTO invoices (project_id, invoice_id, customer_id, fingerprint, answer)
     VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING invoice_id`,
    [projectId, invoiceId, '', fingerprint, JSON.stringify(answer)],
  );
  if (rows.length > 0) return undefined;
  const first = (await trx('invoices')
    .where({ project_id: projectId, invoice_id: invoiceId })
    .first('fingerprint', 'answer')) as { fingerprint: string; answer: SaleResult | null };
  if (first.fingerprint !== fingerprint) {
    throw new Refusal('conflict', `The invoice "${invoiceId}" is recorded with other contents`);
  }
  // Its customer has been forgotten since: what they sent again is all that we may say.
  return first.answer ?? answer;
}

async function record(trx: Db, projectId: string, data: NewSale): Promise<void> {
  const { eventId, leadEventId, at, sale, converted } = data;
  const click = sale.clickId === null ? undefined : await knownClick(trx, projectId, sale.clickId);
  const { customer, isNew } = await customerOf(trx, projectId, sale, click);
  const rows: EventRow[] = [];
  let attributed = click;
  if (click === undefined) {
    attributed = isNew ? undefined : await attribution(trx, projectId, customer, sale);
  } else if (isNew) {
    const event_name = sale.leadEventName ?? DIRECT_SALE;
    const fields = { id: leadEventId, occurred_at: at, event_name, customer_id: customer.id };
    rows.push(eventOf(projectId, 'lead', click, fields));
  }
  rows.push(
    eventOf(projectId, 'sale', attributed, {
      id: eventId,
      occurred_at: at,
      event_name: sale.eventName,
      metadata: sale.metadata,
      customer_id: customer.id,
      amount_cents: converted.amountCents,
      sale: {
        paymentProcessor: sale.paymentProcessor,
        invoiceId: sale.invoiceId,
        amount: sale.amount,
        currency: sale.currency,
        rate: converted.rate,
        rateDate: converted.rateDate,
      },
    }),
  );
  await addEvents(trx, rows);
  if (sale.invoiceId !== null) {
    await trx('invoices')
      .where({ project_id: projectId, invoice_id: sale.invoiceId })
      .update({ customer_id: customer.id });
  }
}

/** Whose sale it is where no click is named: the lead's, else that of the customer's first click. */
async function attribution(
  trx: Db,
  projectId: string,
  customer: Customer,
  { leadEventName }: SaleBody,
): Promise<StoredEvent | undefined> {
  const lead = await findLead(trx, projectId, customer.id, leadEventName);
  if (lead !== undefined) return lead;
  if (leadEventName !== null) {
    throw new Refusal('not_found', `The customer has no lead "${leadEventName}"`);
  }
  return customer.click_id === null ? undefined : findClick(projectId, customer.click_id, trx);
}

/** @throws Refusal `not_found` */
async function knownClick(trx: Db, projectId: string, clickId: string): Promise<StoredEvent> {
  const click = await findClick(projectId, clickId, trx);
  if (click === undefined) throw new Refusal('not_found', `There is no click "${clickId}"`);
  return click;
}

/** The customer of a body, made where they are new; what the body says of a known one is kept. */
async function customerOf(
  trx: Db,
  projectId: string,
  body: CustomerBody,
  click: StoredEvent | undefined,
): Promise<{ customer: Customer; isNew: boolean }> {
  const { customerExternalId: external_id, customerName, customerEmail, customerAvatar } = body;
  const { rows } = await trx.raw<{ rows: Customer[] }>(
    `INSERT INTO customers (project_id, id, external_id, name, email, avatar, click_id)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (project_id, external_id) DO NOTHING RETURNING *`,
    [
      projectId,
      newId('customer'),
      external_id,
      customerName ?? randomName(),
      customerEmail ?? null,
      customerAvatar ?? null,
      click?.id ?? null,
    ] as string[],
  );
  const [made] = rows;
  if (made !== undefined) return { customer: made, isNew: true };
  const customer = (await Customer.of(projectId, trx).where({ external_id }).forUpdate().first())!;
  const given = {
    ...(typeof customerName === 'string' ? { name: customerName } : {}),
    ...(typeof customerEmail === 'string' ? { email: customerEmail } : {}),
    ...(typeof customerAvatar === 'string' ? { avatar: customerAvatar } : {}),
    ...(customer.click_id === null && click !== undefined ? { click_id: click.id } : {}),
  };
  if (Object.keys(given).length > 0) {
    await Customer.of(projectId, trx)
      .where({ id: customer.id })
      .patch({ ...given, updated_at: new Date() });
  }
  return { customer, isNew: false };
}

const randomName = (): string =>
  uniqueNamesGenerator({ dictionaries: [adjectives, animals], separator: ' ', style: 'capital' });

/** A lead or sale, with what is known of the visitor from the event that it is attributed to. */
function eventOf(
  projectId: string,
  event: 'lead' | 'sale',
  from: StoredEvent | undefined,
  fields: Partial<EventRow> & Pick<EventRow, 'id' | 'occurred_at'>,
): EventRow {
  return {
    project_id: projectId,
    event,
    link_id: from?.link_id ?? null,
    domain: from?.domain ?? '',
    key: from?.key ?? '',
    url: from?.url ?? '',
    continent: from?.continent ?? '',
    country: from?.country ?? UNKNOWN,
    region: from?.region ?? UNKNOWN,
    city: from?.city ?? UNKNOWN,
    device: from?.device ?? UNKNOWN,
    browser: from?.browser ?? UNKNOWN,
    os: from?.os ?? UNKNOWN,
    referer: from?.referer ?? UNKNOWN,
    referer_url: from?.referer_url ?? UNKNOWN,
    via: from?.via ?? 'link',
    ip: from?.ip ?? '',
    page_id: null,
    click_id: from === undefined ? null : (from.click_id ?? from.id),
    event_name: null,
    metadata: null,
    customer_id: null,
    amount_cents: null,
    sale: null,
    ...fields,
  };
}

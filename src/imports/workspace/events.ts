import { addPending, type PendingAmount } from '../../currency/pending.ts';
import { Refusal } from '../../errors.ts';
import { type EventRow, INITIAL_EVENT } from '../../events/event.ts';
import { eventsStore } from '../../events/store/index.ts';
import { execute, rows } from '../../infra/db.ts';
import { minorUnitsOf } from '../../infra/minor-units.ts';
import { type ArchiveContext, type Archived, importedId, type RecordOutcome } from './context.ts';
import type { ArchivedEvent } from './event-fields.ts';
import { addFirstClicks } from './first-clicks.ts';

/*
 * Imports events of an archive, which are counted when they are stored. No webhooks are sent for
 * them, because they happened long ago.
 */

/**
 * Fingerprint of invoices with unknown contents: a repeat is refused, like one with other contents.
 */
const IMPORTED = 'imported';

/** Imports events whose fields have been checked. */
export async function importEvents(
  context: ArchiveContext,
  records: readonly Archived[],
): Promise<RecordOutcome[]> {
  const { trx, importRow, isCheck } = context;
  // The fields were checked when the file was read.
  const events = records.map(({ data }) => data as unknown as ArchivedEvent);
  const storedIds = await eventsStore().findKnown(
    trx,
    importRow.project_id,
    events.map(({ id }) => importedId(context, id)),
  );
  if (isCheck) {
    return events.map(({ id }) => (storedIds.has(importedId(context, id)) ? 'skipped' : 'created'));
  }
  const customers = await customersOf(context, events);
  const existingRecords = await recordsOf(context, events);
  const outcomes: RecordOutcome[] = [];
  const fresh: EventRow[] = [];
  for (const event of events) {
    const row = rowOf(context, event, customers);
    if (storedIds.has(row.id)) outcomes.push('skipped');
    else {
      const fault = faultOf(event, row, existingRecords);
      outcomes.push(fault ?? 'created');
      if (fault === undefined) fresh.push(row);
    }
    // The first of several events with the same id counts.
    storedIds.add(row.id);
  }
  await claimInvoices(context, fresh);
  // Before counters are locked, as where conversions are recorded.
  await addFirstClicks(context, fresh);
  await eventsStore().append(trx, fresh);
  await addPending(trx, await pendingOf(context, fresh));
  await eventsStore().countCustomers(trx, fresh);
  return outcomes;
}

function rowOf(
  context: ArchiveContext,
  { customer, isOfDeleted: _, ...event }: ArchivedEvent,
  customers: ReadonlyMap<string, string>,
): EventRow {
  const ownId = (id: string | null | undefined) => (id ? importedId(context, id) : null);
  return {
    ...INITIAL_EVENT,
    ...event,
    project_id: context.importRow.project_id,
    id: importedId(context, event.id),
    link_id: ownId(event.link_id),
    page_id: ownId(event.page_id),
    click_id: ownId(event.click_id),
    customer_id: customer === undefined ? null : (customers.get(customer) ?? null),
    // An earlier archive does not tell which visitors wanted privacy.
    privacy: event.privacy ?? 'unknown',
  };
}

function faultOf(
  { customer, isOfDeleted }: ArchivedEvent,
  { link_id, customer_id }: EventRow,
  existingRecords: ReadonlySet<string>,
): Refusal | undefined {
  if (link_id !== null && isOfDeleted !== true && !existingRecords.has(link_id)) {
    return refusal('link_id must be the id of an imported link or QR code');
  }
  return customer !== undefined && customer_id === null
    ? refusal('customer must be the external id of an imported customer')
    : undefined;
}

const refusal = (message: string) => new Refusal('unprocessable_entity', message);

/** Finds the ids of customers by external id. */
async function customersOf(
  { trx, importRow }: ArchiveContext,
  events: readonly ArchivedEvent[],
): Promise<Map<string, string>> {
  const externalIds = [...new Set(events.flatMap(({ customer }) => customer ?? []))];
  if (externalIds.length === 0) return new Map();
  const customers = await rows<{ id: string; external_id: string }>(
    trx,
    'SELECT id, external_id FROM customers WHERE project_id = ? AND external_id = ANY(?)',
    [importRow.project_id, externalIds],
  );
  return new Map(customers.map(({ id, external_id }) => [external_id, id]));
}

/** Finds the new ids of events' links and QR codes that exist. */
async function recordsOf(
  context: ArchiveContext,
  events: readonly ArchivedEvent[],
): Promise<Set<string>> {
  const old = new Set(events.flatMap(({ link_id }) => link_id ?? []));
  const ids = [...old].map((id) => importedId(context, id));
  const records = await rows<{ id: string }>(
    context.trx,
    `SELECT id FROM links WHERE project_id = :projectId AND id = ANY(:ids)
      UNION ALL SELECT id FROM qrcodes WHERE project_id = :projectId AND id = ANY(:ids)`,
    { projectId: context.importRow.project_id, ids },
  );
  return new Set(records.map(({ id }) => id));
}

/** Claims the invoices of sales, so that none is recorded again. */
async function claimInvoices(context: ArchiveContext, events: readonly EventRow[]): Promise<void> {
  const { trx, importRow } = context;
  const invoices = events.flatMap(({ id, event, sale, customer_id }) =>
    event === 'sale' && sale?.invoiceId && sale.isFromPage !== true
      ? [
          {
            project_id: importRow.project_id,
            invoice_id: sale.invoiceId,
            customer_id: customer_id ?? '',
            fingerprint: IMPORTED,
            event_id: id,
          },
        ]
      : [],
  );
  if (invoices.length > 0) {
    await trx('invoices').insert(invoices).onConflict(['project_id', 'invoice_id']).ignore();
  }
  await claimRefunds(context, events);
}

/** Adds refunds to the invoices of imported sales, which come before them in archives. */
async function claimRefunds(
  { trx, importRow }: ArchiveContext,
  events: readonly EventRow[],
): Promise<void> {
  const refunds = events.flatMap(({ event, sale }) =>
    event === 'refund' && sale?.invoiceId ? [sale] : [],
  );
  if (refunds.length === 0) return;
  await execute(
    trx,
    `UPDATE invoices AS i SET refunded = i.refunded + r.amount
       FROM (SELECT invoice_id, sum(amount)::bigint AS amount
               FROM unnest(:invoices::text[], :amounts::bigint[]) AS each(invoice_id, amount)
              GROUP BY invoice_id) AS r
      WHERE i.project_id = :projectId AND i.invoice_id = r.invoice_id AND i.fingerprint = '${IMPORTED}'`,
    {
      projectId: importRow.project_id,
      invoices: refunds.map(({ invoiceId }) => invoiceId),
      amounts: refunds.map(({ amount }) => amount),
    },
  );
  const named = refunds.filter(({ refundId }) => refundId != null);
  // An archive can have a refund whose sale was deleted, and so no invoice.
  await execute(
    trx,
    `INSERT INTO refunds (project_id, invoice_id, refund_id, fingerprint)
     SELECT i.project_id, i.invoice_id, r.refund_id, '${IMPORTED}'
       FROM unnest(:invoices::text[], :ids::text[]) AS r(invoice_id, refund_id)
       JOIN invoices AS i ON i.project_id = :projectId AND i.invoice_id = r.invoice_id
     ON CONFLICT DO NOTHING`,
    {
      projectId: importRow.project_id,
      invoices: named.map(({ invoiceId }) => invoiceId),
      ids: named.map(({ refundId }) => refundId!),
    },
  );
}

/**
 * Lists the amounts of sales and refunds that were exported before there was a rate for their
 * currency. The invoices must be claimed.
 */
async function pendingOf(
  { trx, importRow }: ArchiveContext,
  events: readonly EventRow[],
): Promise<PendingAmount[]> {
  const waiting = events.filter(({ sale }) => sale !== null && sale.rate === null);
  if (waiting.length === 0) return [];
  const invoices = await rows<{ id: string; eventId: string | null; refunded: number }>(
    trx,
    `SELECT invoice_id AS id, event_id AS "eventId", refunded FROM invoices
      WHERE project_id = :projectId AND invoice_id = ANY(:ids) AND fingerprint = '${IMPORTED}'`,
    {
      projectId: importRow.project_id,
      ids: waiting.flatMap(({ sale }) => sale?.invoiceId ?? []),
    },
  );
  const byId = new Map(invoices.map((invoice) => [invoice.id, invoice]));
  // The refunds of these events are the last of each invoice: their amounts are read backwards.
  return waiting.toReversed().map((event) => {
    const { currency, amount, decimals = minorUnitsOf(currency), invoiceId } = event.sale!;
    const invoice = event.event === 'refund' ? byId.get(invoiceId ?? '') : undefined;
    const toAmount = invoice?.refunded ?? amount;
    if (invoice !== undefined) invoice.refunded -= amount;
    return {
      projectId: event.project_id,
      eventId: event.id,
      at: event.occurred_at,
      // A refund whose sale is unknown is converted by itself.
      saleId: invoice?.eventId ?? event.id,
      currency,
      decimals,
      fromAmount: toAmount - amount,
      toAmount,
    };
  });
}

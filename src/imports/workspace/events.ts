import { Refusal } from '../../errors.ts';
import { type EventRow, INITIAL_EVENT } from '../../events/event.ts';
import { eventsStore } from '../../events/store/index.ts';
import { rows } from '../../infra/db.ts';
import { type Archived, importedId, type TakeContext, type Taken } from './context.ts';
import type { ArchivedEvent } from './event-fields.ts';

/*
 * Events of an archive, counted as they are stored. Nothing is sent for them: they happened long ago.
 */

/** Fingerprint of invoices whose contents are not known: a repeat is refused, as one with other contents. */
const IMPORTED = 'imported';

/** Takes events whose fields have been checked. */
export async function takeEvents(
  context: TakeContext,
  records: readonly Archived[],
): Promise<Taken[]> {
  const { trx, one, isCheck } = context;
  // The fields were checked when the file was read.
  const events = records.map(({ data }) => data as unknown as ArchivedEvent);
  const stored = await eventsStore().findKnown(
    trx,
    one.project_id,
    events.map(({ id }) => importedId(context, id)),
  );
  if (isCheck) {
    return events.map(({ id }) => (stored.has(importedId(context, id)) ? 'skipped' : 'created'));
  }
  const customers = await customersOf(context, events);
  const known = await recordsOf(context, events);
  const taken: Taken[] = [];
  const fresh: EventRow[] = [];
  for (const event of events) {
    const row = rowOf(context, event, customers);
    if (stored.has(row.id)) taken.push('skipped');
    else {
      const fault = faultOf(event, row, known);
      taken.push(fault ?? 'created');
      if (fault === undefined) fresh.push(row);
    }
    // Of two with one id, the first counts.
    stored.add(row.id);
  }
  await claimInvoices(context, fresh);
  await eventsStore().append(trx, fresh);
  return taken;
}

function rowOf(
  context: TakeContext,
  { customer, isOfDeleted: _, ...event }: ArchivedEvent,
  customers: ReadonlyMap<string, string>,
): EventRow {
  const ownId = (id: string | null | undefined) => (id ? importedId(context, id) : null);
  return {
    ...INITIAL_EVENT,
    ...event,
    project_id: context.one.project_id,
    id: importedId(context, event.id),
    link_id: ownId(event.link_id),
    page_id: ownId(event.page_id),
    click_id: ownId(event.click_id),
    customer_id: customer === undefined ? null : (customers.get(customer) ?? null),
  };
}

function faultOf(
  { customer, isOfDeleted }: ArchivedEvent,
  { link_id, customer_id }: EventRow,
  known: ReadonlySet<string>,
): Refusal | undefined {
  if (link_id !== null && isOfDeleted !== true && !known.has(link_id)) {
    return refusal('link_id must be the id of an imported link or QR code');
  }
  return customer !== undefined && customer_id === null
    ? refusal('customer must be the external id of an imported customer')
    : undefined;
}

const refusal = (message: string) => new Refusal('unprocessable_entity', message);

/** Ids of customers by their external ids. */
async function customersOf(
  { trx, one }: TakeContext,
  events: readonly ArchivedEvent[],
): Promise<Map<string, string>> {
  const externalIds = [...new Set(events.flatMap(({ customer }) => customer ?? []))];
  if (externalIds.length === 0) return new Map();
  const found = await rows<{ id: string; external_id: string }>(
    trx,
    'SELECT id, external_id FROM customers WHERE project_id = ? AND external_id = ANY(?)',
    [one.project_id, externalIds],
  );
  return new Map(found.map(({ id, external_id }) => [external_id, id]));
}

/** New ids of the links and QR codes of events that are there. */
async function recordsOf(
  context: TakeContext,
  events: readonly ArchivedEvent[],
): Promise<Set<string>> {
  const old = new Set(events.flatMap(({ link_id }) => link_id ?? []));
  const ids = [...old].map((id) => importedId(context, id));
  const found = await rows<{ id: string }>(
    context.trx,
    `SELECT id FROM links WHERE project_id = :projectId AND id = ANY(:ids)
      UNION ALL SELECT id FROM qrcodes WHERE project_id = :projectId AND id = ANY(:ids)`,
    { projectId: context.one.project_id, ids },
  );
  return new Set(found.map(({ id }) => id));
}

/** Notes the invoices of sales, so that none is recorded again. */
async function claimInvoices(
  { trx, one }: TakeContext,
  events: readonly EventRow[],
): Promise<void> {
  const invoices = events.flatMap(({ sale, customer_id }) =>
    sale?.invoiceId
      ? [
          {
            project_id: one.project_id,
            invoice_id: sale.invoiceId,
            customer_id: customer_id ?? '',
            fingerprint: IMPORTED,
          },
        ]
      : [],
  );
  if (invoices.length === 0) return;
  await trx('invoices').insert(invoices).onConflict(['project_id', 'invoice_id']).ignore();
}

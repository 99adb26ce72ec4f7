import { centsAtRate } from '../currency/convert.ts';
import { addPending } from '../currency/pending.ts';
import { Customer } from '../customers/model.ts';
import { Refusal } from '../errors.ts';
import type { SaleDetails } from '../events/columns.ts';
import { attributed, type StoredEvent } from '../events/event.ts';
import { eventsStore } from '../events/store/index.ts';
import { type Db, execute, rows } from '../infra/db.ts';
import { minorUnitsOf } from '../infra/minor-units.ts';
import type { JobContext } from '../queues/definition.ts';
import type { RecordEvents } from './announced.ts';
import { fingerprintOf } from './invoices.ts';
import type { NewRefund, Tracked } from './jobs.ts';
import type { RefundResult } from './record.ts';
import type { RefundBody } from './schema.ts';
import { sales } from './waiting.ts';

/*
 * A refund reduces the sale of an invoice. Partial refunds add up to at most the sale. The cents of
 * a refund are the difference of two conversions of refunded amounts at the rate of the sale, so
 * that the cents of all refunds of a sale that is refunded in full are those of the sale.
 */

/** Id under which a refund of everything that is left is stored if the caller gives it none. */
const REST = '';

/** A sale of which parts may be refunded; its row of `invoices` is locked. */
interface Refundable {
  event: StoredEvent;
  details: SaleDetails;
  /** Amount that was refunded before, in minor units of the sale. */
  refunded: number;
}

/**
 * Records a refund.
 *
 * @throws Refusal `not_found` for an invoice without a stored sale, `unprocessable_entity` for more
 * than is left of the sale, `conflict` for a refund with other contents; Postponed while the sale
 * may not be stored yet
 */
export async function recordRefund(
  trx: Db,
  job: JobContext,
  data: NewRefund,
  recordEvents: RecordEvents,
): Promise<Tracked<RefundResult>> {
  const { projectId } = job;
  const { eventId, at, refund } = data;
  const { event: sale, details, refunded } = await lockSale(trx, job, refund.invoiceId);
  const first = await firstAnswer(trx, projectId, refund);
  if (first !== undefined) return { answer: first, isReplayed: true };
  const { currency, rate, paymentProcessor } = details;
  const left = details.amount - refunded;
  if (data.currency !== undefined && data.currency !== currency) {
    throw new Refusal('unprocessable_entity', `currency must be ${currency}, like the sale`);
  }
  const isLimited = data.isLimited === true;
  const amount = Math.min(refund.amount ?? left, isLimited ? left : Number.POSITIVE_INFINITY);
  if (!isLimited) refuseMoreThan(left, amount, refund, currency);
  const unit = { currency, decimals: details.decimals ?? minorUnitsOf(currency) };
  const cents = (total: number, at: string) => centsAtRate(total, unit, at);
  const customer = await Customer.of(projectId, trx)
    .where({ id: sale.customer_id ?? '' })
    .first();
  const answer: RefundResult = {
    eventName: refund.eventName,
    customerId: customer?.external_id ?? null,
    amount: rate === null ? 0 : cents(refunded + amount, rate) - cents(refunded, rate),
    pending: rate === null ? true : undefined,
    currency: 'usd',
    paymentProcessor,
    invoiceId: refund.invoiceId,
    refundId: refund.refundId,
    metadata: refund.metadata,
    left: left - amount,
  };
  // Of a customer who was erased, only numbers are stored.
  const named = customer === undefined ? { invoiceId: null, refundId: null } : refund;
  await recordEvents([
    attributed(sale.click_id === null ? undefined : sale, {
      project_id: projectId,
      id: eventId,
      occurred_at: at,
      event: 'refund',
      customer_id: sale.customer_id,
      event_name: refund.eventName,
      metadata: customer === undefined ? null : refund.metadata,
      amount_cents: rate === null ? null : answer.amount,
      sale: { ...details, amount, invoiceId: named.invoiceId, refundId: named.refundId },
    }),
  ]);
  if (rate === null) {
    const amounts = { fromAmount: refunded, toAmount: refunded + amount };
    await addPending(trx, [{ projectId, eventId, at, saleId: sale.id, ...unit, ...amounts }]);
  }
  await storeAnswer(trx, projectId, refund, customer === undefined ? null : answer);
  await execute(
    trx,
    `UPDATE invoices SET refunded = :refunded
      WHERE project_id = :projectId AND invoice_id = :invoiceId`,
    { refunded: refunded + amount, projectId, invoiceId: refund.invoiceId },
  );
  return { answer, isReplayed: false };
}

/** @throws Refusal `unprocessable_entity` */
function refuseMoreThan(left: number, amount: number, refund: RefundBody, currency: string): void {
  if (left === 0) {
    const rule = 'invoiceId must be the invoice of a sale that is not refunded in full';
    throw new Refusal('unprocessable_entity', rule);
  }
  if (amount > left) {
    const rule = `amount must be at most ${left} (${currency}), which is left of the sale`;
    throw new Refusal('unprocessable_entity', `${rule} "${refund.invoiceId}"`);
  }
}

/**
 * Locks the invoice of a sale, and finds the sale.
 *
 * @throws Refusal `not_found`; Postponed while the sale may not be stored yet
 */
async function lockSale(trx: Db, job: JobContext, invoiceId: string): Promise<Refundable> {
  const { projectId } = job;
  const lock = async () => {
    const [row] = await rows<{ customer_id: string; event_id: string | null; refunded: number }>(
      trx,
      `SELECT customer_id, event_id, refunded FROM invoices
        WHERE project_id = :projectId AND invoice_id = :invoiceId FOR UPDATE`,
      { projectId, invoiceId },
    );
    return row;
  };
  let invoice = await lock();
  if (invoice === undefined) {
    await sales.settled(job);
    invoice = await lock();
  }
  if (invoice === undefined) {
    throw new Refusal('not_found', `There is no sale with the invoice "${invoiceId}"`);
  }
  const { customer_id: customerId, event_id: eventId, refunded } = invoice;
  const event = await eventsStore().findSale(trx, { projectId, eventId, customerId, invoiceId });
  if (event === undefined) {
    throw new Refusal('not_found', `The sale with the invoice "${invoiceId}" is no longer stored`);
  }
  return { event, details: event.sale ?? dollarsOf(event, invoiceId), refunded };
}

/** Makes the details of a sale that was stored without any. */
const dollarsOf = ({ amount_cents }: StoredEvent, invoiceId: string): SaleDetails => ({
  paymentProcessor: 'custom',
  invoiceId,
  amount: amount_cents ?? 0,
  currency: 'USD',
  rate: '1/1',
  rateDate: null,
});

/** Returns the id by which a repeat is recognized; `undefined` for a partial refund without one. */
const repeatId = ({ refundId, amount }: RefundBody): string | undefined =>
  refundId ?? (amount === undefined ? REST : undefined);

/**
 * Reads the answer to an earlier request with the same refund.
 *
 * @throws Refusal `conflict` if it had other contents
 */
async function firstAnswer(
  trx: Db,
  projectId: string,
  refund: RefundBody,
): Promise<RefundResult | undefined> {
  const id = repeatId(refund);
  if (id === undefined) return undefined;
  const [first] = await rows<{ fingerprint: string; answer: RefundResult | null }>(
    trx,
    `SELECT fingerprint, answer FROM refunds
      WHERE project_id = :projectId AND invoice_id = :invoiceId AND refund_id = :id`,
    { projectId, invoiceId: refund.invoiceId, id },
  );
  if (first === undefined) return undefined;
  if (first.fingerprint !== fingerprintOf(refund)) {
    throw new Refusal('conflict', `The refund "${id}" was already recorded with other contents`);
  }
  if (first.answer !== null) return first.answer;
  throw new Refusal('not_found', 'The customer has been forgotten');
}

/** Stores the answer to a refund whose repeats can be recognized. */
async function storeAnswer(
  trx: Db,
  projectId: string,
  refund: RefundBody,
  answer: RefundResult | null,
): Promise<void> {
  const id = repeatId(refund);
  if (id === undefined) return;
  await execute(
    trx,
    `INSERT INTO refunds (project_id, invoice_id, refund_id, fingerprint, answer)
     VALUES (:projectId, :invoiceId, :id, :fingerprint, :answer)`,
    {
      projectId,
      invoiceId: refund.invoiceId,
      id,
      fingerprint: fingerprintOf(refund),
      answer: answer === null ? null : JSON.stringify(answer),
    },
  );
}

import { centsAtRate, MAX_AMOUNT, type Rates, rateOf } from '../currency/convert.ts';
import { deletePending, type PendingAmount, pendingColumns } from '../currency/pending.ts';
import { usableStoredRates } from '../currency/rates.ts';
import { eventsStore } from '../events/store/index.ts';
import type { AmountChange } from '../events/store/store.ts';
import { type Db, db, rows } from '../infra/db.ts';
import type { JobContext } from '../queues/definition.ts';
import { handlers } from '../queues/job.ts';
import { conversionMaintenanceJobs } from './jobs.ts';

/** Number of amounts that one transaction converts. */
const CHUNK = 200;

/** Rate of an amount, and the day of the rate. */
interface DatedRate {
  rate: string;
  rateDate: string | null;
}

/**
 * Converts the amounts of sales whose currency has a rate by now, then those of refunds of sales
 * that have a rate.
 */
async function convertPending(_data: object, { log }: JobContext): Promise<void> {
  const rates = await usableStoredRates();
  const converted =
    (rates === undefined ? 0 : await repeated((trx) => convertSales(trx, rates))) +
    (await repeated(convertRefunds));
  if (converted > 0) log.info({ converted }, 'amounts were converted');
}

/** Runs a step in transactions of its own while it finds a whole chunk. */
async function repeated(step: (trx: Db) => Promise<number>): Promise<number> {
  let all = 0;
  for (;;) {
    const count = await db().transaction(step);
    all += count;
    if (count < CHUNK) return all;
  }
}

async function convertSales(trx: Db, rates: Rates): Promise<number> {
  const pending = await rows<PendingAmount>(
    trx,
    `SELECT ${pendingColumns('p')} FROM pending_amounts p
      WHERE p.currency = ANY(:currencies) AND p.event_id = p.sale_id
      ORDER BY p.project_id, p.event_id LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED`,
    { currencies: [...rates.perBase.keys()] },
  );
  const changes = pending.map((amount) =>
    changeOf(amount, { rate: rateOf(amount.currency, rates)!, rateDate: rates.day }),
  );
  await store(trx, pending, changes);
  return pending.length;
}

async function convertRefunds(trx: Db): Promise<number> {
  const pending = await rows<PendingAmount>(
    trx,
    `SELECT ${pendingColumns('p')} FROM pending_amounts p
      WHERE p.event_id <> p.sale_id
        AND NOT EXISTS (SELECT FROM pending_amounts s
                         WHERE s.project_id = p.project_id AND s.event_id = p.sale_id)
      ORDER BY p.project_id, p.event_id LIMIT ${CHUNK} FOR UPDATE OF p SKIP LOCKED`,
  );
  const changes: AmountChange[] = [];
  for (const amount of pending) {
    const { projectId, saleId } = amount;
    const key = { projectId, eventId: saleId, customerId: '', invoiceId: '' };
    const sale = (await eventsStore().findSale(trx, key))?.sale;
    // The sale may be no longer stored.
    if (sale?.rate != null) changes.push(changeOf(amount, { ...sale, rate: sale.rate }));
  }
  await store(trx, pending, changes);
  return pending.length;
}

function changeOf(pending: PendingAmount, { rate, rateDate }: DatedRate): AmountChange {
  const { projectId, eventId: id, at, fromAmount, toAmount } = pending;
  const cents = (amount: number) => Math.min(centsAtRate(amount, pending, rate), MAX_AMOUNT);
  return { projectId, id, at, amountCents: cents(toAmount) - cents(fromAmount), rate, rateDate };
}

async function store(
  trx: Db,
  pending: readonly PendingAmount[],
  changes: readonly AmountChange[],
): Promise<void> {
  await eventsStore().setAmounts(trx, changes);
  await deletePending(trx, pending);
}

export const conversionMaintenanceHandlers = handlers(conversionMaintenanceJobs, {
  'amounts.convert': convertPending,
});

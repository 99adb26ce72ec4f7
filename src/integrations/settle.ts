import type { RecordEvents } from '../conversions/announced.ts';
import { findClick } from '../conversions/clicks.ts';
import { recordLead } from '../conversions/leads.ts';
import { recordRefund } from '../conversions/refunds.ts';
import { recordSale } from '../conversions/sales.ts';
import { takeCustomer } from '../conversions/take-customer.ts';
import { isCurrency, MAX_AMOUNT, usCents } from '../currency/convert.ts';
import { convertAmount } from '../currency/rates.ts';
import { findByExternalId } from '../customers/find.ts';
import { addExternalId } from '../customers/merge.ts';
import { Refusal } from '../errors.ts';
import type { StoredEvent } from '../events/event.ts';
import { newId } from '../ids.ts';
import { type Db, rows } from '../infra/db.ts';
import type { JobContext } from '../queues/definition.ts';
import {
  endFact,
  findBeginnings,
  findPayment,
  findWaiting,
  type Scope,
  type Seeds,
} from './facts.ts';
import type { FactRow } from './model.ts';
import type { FactData, FactKind, Payer } from './payment.ts';

/*
 * Facts come in any order, and each is recorded once it no longer depends on another:
 *
 *   checkout  with a click, or for a known customer: the customer gets the click
 *   trial     with a click, or for a known customer: a lead
 *   sale      with a click, or for a known customer: a sale, one for each payment
 *   refund    once its sale is recorded
 *
 * A sale or trial without a click waits for the checkout, which may name one, before it is given to
 * the customer. So the same facts have the same result in every order.
 */

/** Order in which facts that came together are recorded, so that customers come before sales. */
const ORDER: Readonly<Record<FactKind, number>> = {
  link: 0,
  checkout: 1,
  trial: 2,
  sale: 3,
  refund: 4,
};

/** Name of the event of a deferred lead, which is not recorded. */
const CHECKOUT = 'Checkout';
/** Maximum age of a payment when it is recorded, in days. */
const MAX_AGE_DAYS = 90;
const DAY_MS = 86_400_000;

/** A fact that is not done. */
type Waiting = FactRow & { data: FactData };

/** Outcome of an attempt to record a fact: `undefined` while it waits. */
type Outcome = { invoiceId?: string | null; click?: StoredEvent | undefined } | undefined;

/** Records facts about payments of a workspace, in the transaction of a job. */
export class Settlement {
  /** Number of facts that were recorded. */
  count = 0;
  /** Reasons why facts were refused. */
  readonly refusals: string[] = [];
  readonly #trx: Db;
  readonly #job: JobContext;
  readonly #scope: Scope;
  readonly #recordEvents: RecordEvents;
  readonly #recorders: Readonly<Record<FactKind, (fact: Waiting) => Promise<Outcome>>> = {
    link: () => Promise.resolve({}),
    checkout: (fact) => this.#recordCheckout(fact),
    trial: (fact) => this.#recordTrial(fact),
    sale: (fact) => this.#recordSale(fact),
    refund: (fact) => this.#recordRefund(fact),
  };

  constructor(trx: Db, job: JobContext, scope: Scope, recordEvents: RecordEvents) {
    this.#trx = trx;
    this.#job = job;
    this.#scope = scope;
    this.#recordEvents = recordEvents;
  }

  /**
   * Records the waiting facts that have one of these ids, and those that depend on them.
   *
   * @throws Postponed while a click may not be stored yet
   */
  async settle(seeds: Seeds): Promise<void> {
    for (;;) {
      await findPayment(this.#trx, this.#scope, seeds.refs);
      const waiting = (await findWaiting(this.#trx, this.#scope, seeds)) as Waiting[];
      let hasProgress = false;
      for (const fact of waiting.toSorted((a, b) => ORDER[a.kind] - ORDER[b.kind])) {
        if (!(await this.#attempt(fact))) continue;
        hasProgress = true;
        addSeeds(seeds, fact);
      }
      if (!hasProgress) return;
    }
  }

  /** @returns false while the fact waits */
  async #attempt(fact: Waiting): Promise<boolean> {
    let outcome: Outcome;
    try {
      outcome = await this.#recorders[fact.kind](fact);
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      this.refusals.push(`${fact.id}: ${thrown.message}`);
      outcome = {};
    }
    if (outcome === undefined) return false;
    const { invoiceId = null, click } = outcome;
    await endFact(this.#trx, this.#scope, fact.id, { invoiceId, clickId: click?.id ?? null });
    this.count += 1;
    return true;
  }

  async #recordCheckout(fact: Waiting): Promise<Outcome> {
    const click = await this.#firstClick([fact]);
    if (click === undefined && !(await this.#isKnown(fact.payers))) return undefined;
    await this.#takeCustomer(fact.data.payer!, click);
    if (click !== undefined) await this.#recordLead(fact, CHECKOUT, click, true);
    return { click };
  }

  async #recordTrial(fact: Waiting): Promise<Outcome> {
    const found = await this.#origin(fact, []);
    if (found === undefined) return undefined;
    await this.#takeCustomer(fact.data.payer!, found.click);
    await this.#recordLead(fact, fact.data.eventName, found.click, false);
    return found;
  }

  async #recordSale(fact: Waiting): Promise<Outcome> {
    const { amount, currency, at, awaits, eventName, invoiceId, payer } = fact.data;
    const { projectId, type } = this.#scope;
    const refs = new Set(fact.refs);
    const payment = await findPayment(this.#trx, this.#scope, refs);
    const sold = payment.find((other) => other.invoice_id !== null);
    if (sold !== undefined) return { invoiceId: sold.invoice_id };
    if (awaits.includes('payment') && refs.size === 1 && !fact.is_due) return undefined;
    const found = await this.#origin(fact, payment);
    if (found === undefined) return undefined;
    if (await this.#isSold(invoiceId!)) return { invoiceId, click: found.click };
    refuseAmount(fact.data);
    const unit = { amount, currency, paymentProcessor: type };
    const converted = currency === 'USD' ? usCents(amount) : await convertAmount(unit, this.#job);
    await this.#takeCustomer(payer!, found.click);
    await recordSale(
      this.#trx,
      this.#job,
      {
        eventId: newId('event'),
        leadEventId: newId('event'),
        at: notLater(at),
        sale: {
          customerExternalId: payer!.externalId,
          amount,
          currency,
          eventName,
          paymentProcessor: type,
          invoiceId,
          metadata: null,
          leadEventName: null,
          clickId: found.click?.id ?? null,
        },
        converted,
      },
      this.#recordEvents,
    );
    this.#job.log.info({ projectId, type, fact: fact.id }, 'a payment was recorded');
    return { invoiceId, click: found.click };
  }

  async #recordRefund({ refs, data }: Waiting): Promise<Outcome> {
    const payment = await findPayment(this.#trx, this.#scope, new Set(refs));
    const sold = payment.find((other) => other.invoice_id !== null);
    if (sold === undefined) return undefined;
    const { amount, currency, at, eventName, refundId } = data;
    const refund = { invoiceId: sold.invoice_id!, amount, refundId, eventName, metadata: null };
    await recordRefund(
      this.#trx,
      this.#job,
      { eventId: newId('event'), at: notLater(at), refund, currency, isLimited: true },
      this.#recordEvents,
    );
    return {};
  }

  /**
   * Finds the click of a sale or trial: its own or that of its payment, else that of its
   * subscription, else none for a customer with a click.
   *
   * @returns `undefined` while the click or the customer may still become known
   */
  async #origin(
    fact: Waiting,
    payment: readonly FactRow[],
  ): Promise<{ click: StoredEvent | undefined } | undefined> {
    const { subscription_id: id } = fact;
    const beginnings = id === null ? [] : await findBeginnings(this.#trx, this.#scope, id);
    const facts = [fact, ...payment, ...beginnings];
    const click = await this.#firstClick(facts);
    if (click !== undefined) return { click };
    const isAwaited =
      fact.data.awaits.includes('click') && !facts.some(({ kind }) => kind === 'checkout');
    if (isAwaited && !fact.is_due) return undefined;
    return (await this.#isKnown(fact.payers)) ? { click: undefined } : undefined;
  }

  /** Finds the first click that these facts name and that is stored. */
  async #firstClick(facts: readonly FactRow[]): Promise<StoredEvent | undefined> {
    const ids = new Set(facts.flatMap(({ click_id }) => click_id ?? []));
    for (const id of ids) {
      const click = await findClick(this.#trx, this.#job, id);
      if (click !== undefined) return click;
    }
    return undefined;
  }

  /** Returns true if one of these external ids is of a customer who came from a click. */
  async #isKnown(externalIds: readonly string[]): Promise<boolean> {
    for (const externalId of externalIds) {
      const customer = await findByExternalId(this.#scope.projectId, externalId, this.#trx);
      if (customer !== undefined && customer.click_id !== null) return true;
    }
    return false;
  }

  /** Creates the customer of a payment if there is none, and gives them all their external ids. */
  async #takeCustomer(payer: Payer, click: StoredEvent | undefined): Promise<void> {
    const { externalId: customerExternalId, otherIds, name, email } = payer;
    const body = { customerExternalId, customerName: name, customerEmail: email };
    const { customer } = await takeCustomer(this.#trx, this.#scope.projectId, body, click);
    for (const otherId of otherIds) await addExternalId(this.#trx, customer, otherId);
  }

  async #recordLead(
    { data: { payer, at } }: Waiting,
    eventName: string,
    click: StoredEvent | undefined,
    deferred: boolean,
  ): Promise<void> {
    const lead = {
      clickId: click?.id,
      customerExternalId: payer!.externalId,
      eventName,
      deferred,
    };
    const data = { eventId: newId('event'), at: notLater(at), lead };
    await recordLead(this.#trx, this.#job, data, this.#recordEvents);
  }

  /** Returns true if a sale with the invoice was recorded, for example by a request. */
  async #isSold(invoiceId: string): Promise<boolean> {
    const invoices = await rows<object>(
      this.#trx,
      'SELECT 1 FROM invoices WHERE project_id = :projectId AND invoice_id = :invoiceId',
      { projectId: this.#scope.projectId, invoiceId },
    );
    return invoices.length > 0;
  }
}

/** Makes seeds without ids. */
export const noSeeds = (): Seeds => ({
  refs: new Set(),
  payers: new Set(),
  subscriptions: new Set(),
});

/** Adds the ids of a fact. */
export function addSeeds(
  { refs, payers, subscriptions }: Seeds,
  fact: Pick<FactRow, 'refs' | 'payers' | 'subscription_id'>,
): void {
  for (const ref of fact.refs) refs.add(ref);
  for (const payer of fact.payers) payers.add(payer);
  if (fact.subscription_id !== null) subscriptions.add(fact.subscription_id);
}

/** The clock of a payment processor may be ahead. */
function notLater(at: string): string {
  return new Date(Math.min(Date.parse(at), Date.now())).toISOString();
}

/** @throws Refusal `unprocessable_entity` */
function refuseAmount({ amount, currency, at }: FactData): void {
  if (!isCurrency(currency)) {
    throw new Refusal(
      'unprocessable_entity',
      `currency must be an ISO 4217 code, not "${currency}"`,
    );
  }
  if (amount > MAX_AMOUNT) {
    throw new Refusal('unprocessable_entity', `amount must be at most ${MAX_AMOUNT}`);
  }
  if (Date.now() - Date.parse(at) > MAX_AGE_DAYS * DAY_MS) {
    throw new Refusal('unprocessable_entity', `The payment is more than ${MAX_AGE_DAYS} days old`);
  }
}

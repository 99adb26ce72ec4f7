import { minorUnitsOf } from '../infra/minor-units.ts';
import { canBeClickId } from '../visitors/click-id.ts';
import { NO_DETAILS, type PaymentFact, payerOf } from './payment.ts';
import { countIn, currencyIn, type Fields, listIn, objectIn, textIn } from './read-json.ts';

/** Maximum length of the URL with which a customer entered the shop. */
const MAX_URL = 8_000;

/**
 * Reads what a delivery of Shopify says about payments.
 *
 * @param topic the header `X-Shopify-Topic`
 * @returns nothing for other topics, for orders that test the shop, and for payments of nothing
 */
export function readShopify(topic: string, object: Fields): PaymentFact[] {
  if (topic === 'orders/paid') return object['test'] === true ? [] : readOrder(object);
  return topic === 'refunds/create' ? readRefund(object) : [];
}

function readOrder(order: Fields): PaymentFact[] {
  const id = countIn(order, 'id')?.toString();
  const { amount, currency } = totalOf(order);
  const at = timeIn(order, 'processed_at') ?? timeIn(order, 'created_at');
  if (id === undefined || amount === 0 || at === undefined) return [];
  const customer = objectIn(order, 'customer');
  const name = [textIn(customer, 'first_name'), textIn(customer, 'last_name')].join(' ').trim();
  return [
    {
      ...NO_DETAILS,
      kind: 'sale',
      id: `order:${id}`,
      invoiceId: id,
      references: [id],
      amount,
      currency,
      payer: payerOf({
        processor: countIn(customer, 'id')?.toString(),
        email: textIn(customer, 'email') ?? textIn(order, 'email'),
        name: name || undefined,
        paymentId: id,
      }),
      clickId: clickIdOf(order),
      eventName: 'Purchase',
      at,
    },
  ];
}

/** Reads the total in the currency of the customer, in which refunds are paid too. */
function totalOf(order: Fields): { amount: number; currency: string } {
  const shown = objectIn(objectIn(order, 'total_price_set'), 'presentment_money');
  const currency = textIn(shown, 'currency_code') ?? currencyIn(order) ?? '';
  const decimal = textIn(shown, 'amount') ?? textIn(order, 'total_price');
  return { amount: minorUnits(decimal, currency) ?? 0, currency: currency.toUpperCase() };
}

/** Finds a click id in the attributes of the cart, or in the URL of the customer's first page. */
function clickIdOf(order: Fields): string | null {
  const attributes = listIn(order, 'note_attributes').flatMap(
    (attribute) => textIn(attribute, 'value') ?? [],
  );
  const [, query = ''] = (textIn(order, 'landing_site', MAX_URL) ?? '').split('?', 2);
  return [...attributes, ...new URLSearchParams(query).values()].find(canBeClickId) ?? null;
}

/** Reads the amount that was paid back, which can be less than the value of returned articles. */
function readRefund(refund: Fields): PaymentFact[] {
  const refundId = countIn(refund, 'id')?.toString();
  const orderId = countIn(refund, 'order_id')?.toString();
  const at = timeIn(refund, 'processed_at') ?? timeIn(refund, 'created_at');
  const transactions = listIn(refund, 'transactions').filter(
    (transaction) =>
      textIn(transaction, 'kind') === 'refund' && textIn(transaction, 'status') === 'success',
  );
  const currency = currencyIn(transactions[0] ?? {}) ?? '';
  const amount = transactions
    .map((one) => minorUnits(textIn(one, 'amount'), currency) ?? 0)
    .reduce((sum, each) => sum + each, 0);
  if (refundId === undefined || orderId === undefined || at === undefined || amount === 0) {
    return [];
  }
  const ids = { id: `refund:${refundId}`, refundId, references: [orderId] };
  return [{ ...NO_DETAILS, ...ids, amount, currency, eventName: 'Refund', at, kind: 'refund' }];
}

/** Converts a decimal text to minor units of a currency; `undefined` for other texts. */
function minorUnits(decimal: string | undefined, currency: string): number | undefined {
  if (decimal === undefined || !/^\d{1,13}(?:\.\d{1,6})?$/.test(decimal)) return undefined;
  const [whole = '', fraction = ''] = decimal.split('.');
  const places = minorUnitsOf(currency.toUpperCase());
  return Number(`${whole}${fraction.slice(0, places).padEnd(places, '0')}`);
}

/** Returns the instant of a time of ISO 8601; `undefined` for other texts. */
function timeIn(fields: Fields, name: string): string | undefined {
  const ms = Date.parse(textIn(fields, name) ?? '');
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}

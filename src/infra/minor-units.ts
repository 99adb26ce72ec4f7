/** Number of decimal places of currencies that do not have two (ISO 4217, table A.1). */
export const MINOR_UNITS: Readonly<Record<string, number>> = Object.fromEntries([
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'
    .split(' ')
    .map((code) => [code, 0]),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3]),
  ...'CLF UYW'.split(' ').map((code) => [code, 4]),
]);

/**
 * Decimal places of currencies in which Stripe does not send minor units of ISO 4217
 * (https://docs.stripe.com/currencies).
 */
const STRIPE_MINOR_UNITS: Readonly<Record<string, number>> = { ISK: 2, UGX: 2, MGA: 0 };

/** Returns the number of decimal places of a currency in amounts of a payment processor. */
export const minorUnitsOf = (currency: string, paymentProcessor = ''): number =>
  (paymentProcessor === 'stripe' ? STRIPE_MINOR_UNITS[currency] : undefined) ??
  MINOR_UNITS[currency] ??
  2;

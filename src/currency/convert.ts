import { Refusal } from '../errors.ts';

/** Number of decimal places of currencies that do not have two (ISO 4217, table A.1). */
const MINOR_UNITS: Readonly<Record<string, number>> = Object.fromEntries([
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'
    .split(' ')
    .map((code) => [code, 0]),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3]),
  ...'CLF UYW'.split(' ').map((code) => [code, 4]),
]);

/** Returns the number of decimal places of a currency. */
export const minorUnitsOf = (currency: string): number => MINOR_UNITS[currency] ?? 2;

/** Maximum amount of a sale, in minor units of its currency and in US cents after conversion. */
export const MAX_AMOUNT = 1e12;

/** Values of one unit of the base currency in each currency, as published. */
export interface Rates {
  /** Day of the rates, `2024-06-28`. */
  day: string;
  source: string;
  perBase: ReadonlyMap<string, string>;
}

/** An amount in US cents, and the rate of its conversion. */
export interface UsCents {
  amountCents: number;
  /** US dollars for one unit of the currency, as an exact fraction of two decimal numbers. */
  rate: string;
  /** Day of the rate; `null` if nothing was converted. */
  rateDate: string | null;
}

/** Wraps an amount that is already in US cents and needs no rate. */
export const usCents = (amountCents: number): UsCents => ({
  amountCents,
  rate: '1/1',
  rateDate: null,
});

/**
 * Converts an amount to US cents at given rates, in integer arithmetic, rounded once at the end,
 * half to even.
 *
 * @param amount minor units of `currency` (¥500 is 500, €5.00 is 500, BD5.000 is 5000): ISO 4217
 * @param currency upper-case ISO 4217 code
 * @throws Refusal `unprocessable_entity` when there is no rate for the currency, or the amount is
 * too large
 */
export function toUsCents(amount: number, currency: string, { day, perBase }: Rates): UsCents {
  if (currency === 'USD') return usCents(amount);
  const [dollars, units] = [perBase.get('USD'), perBase.get(currency)];
  if (dollars === undefined || units === undefined) {
    throw new Refusal('unprocessable_entity', `currency: there is no rate for "${currency}"`);
  }
  const rate = `${dollars}/${units}`;
  const amountCents = centsAtRate(amount, currency, rate);
  if (amountCents > MAX_AMOUNT) {
    throw new Refusal(
      'unprocessable_entity',
      `amount must be at most ${MAX_AMOUNT} US cents once converted`,
    );
  }
  return { amountCents, rate, rateDate: day };
}

/**
 * Converts an amount to US cents at a rate, in integer arithmetic, rounded once, half to even.
 *
 * @param amount minor units of `currency`
 * @param rate US dollars for one unit of the currency, as in {@link UsCents}
 */
export function centsAtRate(amount: number, currency: string, rate: string): number {
  const [dollars = '', units = ''] = rate.split('/');
  const [usd, unit] = [parse(dollars), parse(units)];
  return Number(
    divideHalfEven(
      BigInt(amount) * usd.digits * 100n * 10n ** unit.scale,
      10n ** BigInt(minorUnitsOf(currency)) * unit.digits * 10n ** usd.scale,
    ),
  );
}

/** Parses a decimal number to an integer and its number of decimal places. */
function parse(decimal: string): { digits: bigint; scale: bigint } {
  const [integer = '', fraction = ''] = decimal.split('.');
  return { digits: BigInt(integer + fraction), scale: BigInt(fraction.length) };
}

/** Divides non-negative numbers, rounding half to even. */
function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const twice = (dividend % divisor) * 2n;
  const isUp = twice > divisor || (twice === divisor && quotient % 2n === 1n);
  return isUp ? quotient + 1n : quotient;
}

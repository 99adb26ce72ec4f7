import { Refusal } from '../errors.ts';

/** Digits after the point of currencies that have other than two (ISO 4217, table A.1). */
const MINOR_UNITS: Readonly<Record<string, number>> = Object.fromEntries([
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'
    .split(' ')
    .map((code) => [code, 0]),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3]),
  ...'CLF UYW'.split(' ').map((code) => [code, 4]),
]);

/** Digits after the point of a currency. */
export const minorUnitsOf = (currency: string): number => MINOR_UNITS[currency] ?? 2;

/** Largest amount of a sale: in minor units of its currency, and in US cents once converted. */
export const MAX_AMOUNT = 1e12;

/** The value of one unit of the base currency in each currency, as published. */
export interface Rates {
  /** Day of the rates, `2024-06-28`. */
  day: string;
  source: string;
  perBase: ReadonlyMap<string, string>;
}

/** An amount in US cents, with what it was converted by. */
export interface UsCents {
  amountCents: number;
  /** US dollars for one unit of the currency, as a fraction of two decimal numbers: nothing is rounded in it. */
  rate: string;
  /** Day of the rate; `null` where nothing was converted. */
  rateDate: string | null;
}

/** An amount that is in US cents already: it needs no rate. */
export const usCents = (amountCents: number): UsCents => ({
  amountCents,
  rate: '1/1',
  rateDate: null,
});

/**
 * Converts an amount to US cents at given rates. Integer arithmetic, rounded once at the end, half to even.
 *
 * @param amount minor units of `currency` (¥500 is 500, €5.00 is 500, BD5.000 is 5000): ISO 4217
 * @param currency upper-case ISO 4217 code
 * @throws Refusal `unprocessable_entity` when there is no rate for the currency, or the amount is too large
 */
export function toUsCents(amount: number, currency: string, { day, perBase }: Rates): UsCents {
  if (currency === 'USD') return usCents(amount);
  const [dollars, units] = [perBase.get('USD'), perBase.get(currency)];
  if (dollars === undefined || units === undefined) {
    throw new Refusal('unprocessable_entity', `currency: there is no rate for "${currency}"`);
  }
  const [usd, own] = [parse(dollars), parse(units)];
  const cents = divideHalfEven(
    BigInt(amount) * usd.digits * 100n * 10n ** own.scale,
    10n ** BigInt(minorUnitsOf(currency)) * own.digits * 10n ** usd.scale,
  );
  if (cents > BigInt(MAX_AMOUNT)) {
    throw new Refusal(
      'unprocessable_entity',
      `amount must be at most ${MAX_AMOUNT} US cents once converted`,
    );
  }
  return { amountCents: Number(cents), rate: `${dollars}/${units}`, rateDate: day };
}

/** A decimal number as an integer and how many of its digits stand after the point. */
function parse(decimal: string): { digits: bigint; scale: bigint } {
  const [whole = '', fraction = ''] = decimal.split('.');
  return { digits: BigInt(whole + fraction), scale: BigInt(fraction.length) };
}

/** Of numbers that are not negative. */
function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const twice = (dividend % divisor) * 2n;
  const isUp = twice > divisor || (twice === divisor && quotient % 2n === 1n);
  return isUp ? quotient + 1n : quotient;
}

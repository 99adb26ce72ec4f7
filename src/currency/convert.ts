import { Refusal } from '../errors.ts';
import { MINOR_UNITS } from '../infra/minor-units.ts';

/** Codes of ISO 4217. */
const CURRENCIES = new Set([...Intl.supportedValuesOf('currency'), ...Object.keys(MINOR_UNITS)]);

/** True for an upper-case code of ISO 4217. */
export const isCurrency = (code: string): boolean => CURRENCIES.has(code);

/** A currency, as amounts in it are written. */
export interface AmountUnit {
  /** Upper-case ISO 4217 code. */
  currency: string;
  /** Number of decimal places. */
  decimals: number;
}

/** Maximum amount of a sale, in minor units of its currency and in US cents after conversion. */
export const MAX_AMOUNT = 1e12;

/** Values of one unit of the base currency in each currency, as published. */
export interface Rates {
  /** Day of the rates, `2024-06-28`. */
  day: string;
  source: string;
  perBase: ReadonlyMap<string, string>;
}

/** An amount in US cents, and the rate of its conversion; both are `null` until there is a rate. */
export interface UsCents {
  amountCents: number | null;
  /** US dollars for one unit of the currency, as an exact fraction of two decimal numbers. */
  rate: string | null;
  /** Day of the rate; `null` if nothing was converted. */
  rateDate: string | null;
  /** Number of decimal places of the amount. Absent: those of ISO 4217. */
  decimals?: number | undefined;
}

/** Wraps an amount that is already in US cents and needs no rate. */
export const usCents = (amountCents: number): UsCents => ({
  amountCents,
  rate: '1/1',
  rateDate: null,
});

/** Marks an amount for whose currency there is no rate yet. */
export const pendingCents = ({ decimals }: AmountUnit): UsCents => ({
  amountCents: null,
  rate: null,
  rateDate: null,
  decimals,
});

/** Returns US dollars for one unit of a currency, as a fraction; `undefined` without a rate. */
export function rateOf(currency: string, { perBase }: Rates): string | undefined {
  const [dollars, units] = [perBase.get('USD'), perBase.get(currency)];
  return dollars === undefined || units === undefined ? undefined : `${dollars}/${units}`;
}

/**
 * Converts an amount to US cents at given rates, in integer arithmetic, rounded once at the end,
 * half to even.
 *
 * @param amount minor units of the currency (¥500 is 500, €5.00 is 500, BD5.000 is 5000)
 * @returns {@link pendingCents} if there is no rate for the currency
 * @throws Refusal `unprocessable_entity` when the amount is too large
 */
export function toUsCents(amount: number, unit: AmountUnit, rates: Rates): UsCents {
  if (unit.currency === 'USD') return usCents(amount);
  const rate = rateOf(unit.currency, rates);
  if (rate === undefined) return pendingCents(unit);
  const amountCents = centsAtRate(amount, unit, rate);
  if (amountCents > MAX_AMOUNT) {
    throw new Refusal(
      'unprocessable_entity',
      `amount must be at most ${MAX_AMOUNT} US cents once converted`,
    );
  }
  return { amountCents, rate, rateDate: rates.day, decimals: unit.decimals };
}

/**
 * Converts an amount to US cents at a rate, in integer arithmetic, rounded once, half to even.
 *
 * @param amount minor units of the currency
 * @param rate US dollars for one unit of the currency, as in {@link UsCents}
 */
export function centsAtRate(amount: number, { decimals }: AmountUnit, rate: string): number {
  const [dollars = '', units = ''] = rate.split('/');
  const [usd, unit] = [parse(dollars), parse(units)];
  return Number(
    divideHalfEven(
      BigInt(amount) * usd.digits * 100n * 10n ** unit.scale,
      10n ** BigInt(decimals) * unit.digits * 10n ** usd.scale,
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

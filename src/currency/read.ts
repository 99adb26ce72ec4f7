import type { Rates } from './convert.ts';

/** Format of published exchange rates. */
type RatesFormat = 'ecb' | 'json';

const CODE = /^[A-Z]{3}$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const RATE = /^\d{1,12}(\.\d{1,12})?$/;

/** Error for a file of rates that cannot be parsed. */
export class BadRates extends Error {}

/**
 * Parses a file of rates.
 *
 * - `ecb`: the daily file of the European Central Bank,
 *   `<Cube time='…'><Cube currency='…' rate='…'/>`; base EUR
 * - `json`: `{"base": "EUR", "date": "2024-06-28", "rates": {"USD": 1.0705, …}}`, as several
 *   services return
 *
 * @throws BadRates
 */
export function readRates(text: string, format: RatesFormat): Rates {
  const { day, base, rates } = format === 'ecb' ? readEcb(text) : readJson(text);
  if (!DAY.test(day)) throw new BadRates('the rates have no day');
  const perBase = new Map([[base, '1']]);
  for (const [currency, rate] of rates) {
    if (!CODE.test(currency) || !RATE.test(rate) || Number(rate) === 0) {
      throw new BadRates(`"${currency}: ${rate}" is no rate`);
    }
    perBase.set(currency, rate);
  }
  if (!perBase.has('USD')) throw new BadRates('the rates have no US dollar');
  return { day, source: format, perBase };
}

interface Parsed {
  day: string;
  base: string;
  rates: [currency: string, rate: string][];
}

function readEcb(text: string): Parsed {
  const day = /<Cube\s+time=['"]([^'"]*)['"]/.exec(text)?.[1] ?? '';
  const cubes = text.matchAll(/<Cube\s+currency=['"](\w*)['"]\s+rate=['"]([^'"\s]*)['"]/g);
  return { day, base: 'EUR', rates: [...cubes].map(([, currency, rate]) => [currency!, rate!]) };
}

function readJson(text: string): Parsed {
  let parsed: { base?: unknown; date?: unknown; rates?: unknown };
  try {
    parsed = JSON.parse(text) as typeof parsed;
  } catch (error) {
    throw new BadRates('the rates are no JSON', { cause: error });
  }
  const { base, date, rates } = parsed ?? {};
  if (typeof base !== 'string' || typeof rates !== 'object' || rates === null) {
    throw new BadRates('the rates have no base or no rates');
  }
  return {
    day: String(date).slice(0, 10),
    base,
    // The digits of the source: JSON numbers keep up to 15 of them.
    rates: Object.entries(rates).map(([currency, rate]) => [currency, String(rate)]),
  };
}

import { memoize } from '../infra/memoize.ts';

const formatOf = memoize(
  (language: string) => new Intl.NumberFormat(language, { style: 'currency', currency: 'USD' }),
  new Map(),
);

/** Formats an amount in US cents for people: `$1,999.00`. */
export const showDollars = (cents: number, language = 'en-US'): string =>
  formatOf(language).format(cents / 100);

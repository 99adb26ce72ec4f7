const DOLLARS = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

/** Formats an amount in US cents for people: `$1,999.00`. */
export const showDollars = (cents: number): string => DOLLARS.format(cents / 100);

/** Number of quarter-hours in a day. */
export const QUARTERS = 96;
export const QUARTER_MS = 15 * 60_000;
export const DAY_MS = QUARTERS * QUARTER_MS;

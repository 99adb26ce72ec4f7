import { plural } from '../languages/texts.ts';

/**
 * Formats a count with its noun: `1 link`, `1,200 links`.
 *
 * @param noun singular noun with a regular plural
 */
export const countOf = (count: number, noun: string): string =>
  plural(count, `{0} ${noun}`, `{0} ${noun}s`, count.toLocaleString());

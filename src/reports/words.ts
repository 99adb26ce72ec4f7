import type { Row } from '../events/query/groups/group.ts';
import type { GroupName } from '../events/query/groups/index.ts';
import { isUnknown } from '../events/query/groups/list.ts';
import { showDollars } from '../events/show-dollars.ts';
import type { Span } from '../events/span.ts';
import { valueNames } from '../public-stats/parts.ts';
import { type Language, say } from '../web/language.ts';
import type { Phrase } from '../web/phrases/en.ts';
import { listIn } from './groups.ts';

/* The texts of a report, on its page and in mails. */

/** Names of the numbers of analytics that are not those of their fields. */
const NUMBER_NAMES: Readonly<Record<string, Phrase>> = {
  views: 'Page views',
  saleAmount: 'Revenue',
  refundAmount: 'Refunded',
};
/** Numbers in US cents. */
const AMOUNTS: ReadonlySet<string> = new Set(['saleAmount', 'refundAmount']);
/** Numbers that are left out where they are 0. */
const SELDOM: ReadonlySet<string> = new Set(['refunds', 'refundAmount']);

/** Returns the names of the numbers that are shown. */
export const shownNumbers = (
  names: readonly string[],
  ...totals: readonly Readonly<Record<string, number>>[]
): string[] => names.filter((name) => !SELDOM.has(name) || totals.some((one) => one[name] !== 0));

/** The phrase of a number that is named as its field: `clicks` is "Clicks". */
const phraseOf = (name: string): Phrase =>
  `${name.charAt(0).toUpperCase()}${name.slice(1)}` as Phrase;

/** Formats numbers of analytics in a language. */
export function formats(language: Language) {
  const count = new Intl.NumberFormat(language);
  return {
    nameOf: (name: string) => say(language, NUMBER_NAMES[name] ?? phraseOf(name)),
    show: (name: string, value: number) =>
      AMOUNTS.has(name) ? showDollars(value, language) : count.format(value),
  };
}

/** Names the days of a period, or its hours if it is a day or less. */
export function periodInWords(
  { start, end, granularity, timezone: timeZone }: Span,
  language: Language,
): string {
  const isShort = granularity === 'minute' || granularity === 'hour';
  const format = new Intl.DateTimeFormat(language, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone,
    ...(isShort && { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
  });
  return format.formatRange(start, new Date(Math.max(start.getTime(), end.getTime() - 1)));
}

/** Returns the title of a list. */
export function titleOf(group: GroupName, language: Language): string {
  const { title } = listIn(group);
  return title.startsWith('utm_') ? title : say(language, title as Phrase);
}

/** Returns a function that names the rows of a list. */
export function rowNames(group: GroupName, language: Language): (row: Row) => string {
  const { valueOf, nameOf } = listIn(group);
  const names = valueNames(language);
  return (row) => {
    const text = nameOf === undefined ? valueOf(row) : nameOf(row, names);
    return isUnknown(text) ? say(language, 'Unknown') : text;
  };
}

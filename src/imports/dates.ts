import { toInstant } from '../http/iso-time.ts';

/*
 * Reads the dates of other services, of databases and of spreadsheet programs, which write them in
 * the order of the country. A time without a zone is in UTC.
 */

/** Part that comes first in dates such as 8/9/2024. */
export type DateOrder = 'day' | 'month';

/** Maximum length of a text that can be a date, in characters. */
const MAX_LENGTH = 80;
const DAY_MS = 86_400_000;
/** Number of 1 January 1970 in spreadsheet programs, which count days from 1900. */
const EPOCH_DAY = 25_569;
/** Days of 1954 to 2119 in spreadsheet programs. */
const SERIAL_DAYS = { first: 20_000, last: 80_000 };
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

const YEAR_FIRST = /^(?<year>\d{4})[-/.](?<month>\d{1,2})[-/.](?<day>\d{1,2})(?<time>.*)$/;
const YEAR_LAST =
  /^(?<first>\d{1,2})(?<sign>[-/.])(?<other>\d{1,2})[-/.](?<year>\d{4}|\d{2})(?<time>.*)$/;
const WEEKDAY = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},? /i;
const DAY_NAME =
  /^(?<day>\d{1,2})[ -](?<name>[a-z]{3,9})\.?,?[ -](?<year>\d{4}|\d{2})(?<time>.*)$/i;
const NAME_DAY = /^(?<name>[a-z]{3,9})\.? (?<day>\d{1,2}),? (?<year>\d{4})(?<time>.*)$/i;
const TIME =
  /^,?[T ] ?(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?(?<zone>.*)$/;
/** Half of the day, offset, and name of the zone as browsers write it. */
const ZONE =
  /^(?: ?(?<half>[ap])\.? ?m\.?)?(?: ?(?<zone>Z|(?:UTC|GMT)?[+-]\d{2}(?::?\d{2})?|UTC|GMT))?(?: \([^()]{1,40}\))?$/i;
const ZERO = /^0{4}-0{2}-0{2}(?:[T ]|$)/;
const SECONDS = /^\d{9,10}(?:\.\d{1,9})?$/;
const MILLISECONDS = /^\d{12,13}$/;
const SERIAL = /^\d{5}(?:[.,]\d{1,15})?$/;

type Parts = Partial<Record<string, string>>;

/**
 * Reads a date in any of these forms: ISO 8601; numbers with `/`, `-` or `.`; names of months, as in
 * RFC 1123; seconds or milliseconds since 1970; days of a spreadsheet program.
 *
 * @param order order of day and month where both are possible; with dots, the day is always first
 * @returns the instant in ISO 8601; `null` for the zero date of MySQL; `undefined` for other texts
 */
export function readDate(text: string, order: DateOrder): string | null | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const plain = withPlainSpaces(text);
  if (ZERO.test(plain)) return null;
  if (SECONDS.test(plain)) return new Date(Number(plain) * 1_000).toISOString();
  if (MILLISECONDS.test(plain)) return new Date(Number(plain)).toISOString();
  if (SERIAL.test(plain)) return serialDay(Number(plain.replace(',', '.')));
  const numeric = YEAR_LAST.exec(plain)?.groups;
  if (numeric !== undefined) return instantOf({ ...numeric, ...inOrder(numeric, order) });
  const bare = plain.replace(WEEKDAY, '');
  const parts = (YEAR_FIRST.exec(bare) ?? DAY_NAME.exec(bare) ?? NAME_DAY.exec(bare))?.groups;
  return parts === undefined ? undefined : instantOf(parts);
}

/**
 * Returns the order that a date shows: `open` if its first two numbers could be either, and
 * `undefined` for a text that leaves no choice.
 */
export function orderShown(text: string): DateOrder | 'open' | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const parts = YEAR_LAST.exec(withPlainSpaces(text))?.groups;
  if (parts === undefined || parts['sign'] === '.') return undefined;
  const [first, other] = [Number(parts['first']), Number(parts['other'])];
  if (first <= 12 && other <= 12) return first === other ? undefined : 'open';
  if (first <= 31 && other <= 12) return 'day';
  return first <= 12 && other <= 31 ? 'month' : undefined;
}

/** Replaces the spaces that do not break lines, such as those before `PM`. */
const withPlainSpaces = (text: string): string => text.replaceAll(/[\u00a0\u202f]/g, ' ');

function inOrder({ first, other, sign }: Parts, order: DateOrder): Parts {
  const canBeMonth = Number(first) <= 12;
  const isDayFirst = !canBeMonth || (Number(other) <= 12 && (sign === '.' || order === 'day'));
  return isDayFirst ? { day: first, month: other } : { day: other, month: first };
}

function serialDay(days: number): string | undefined {
  if (days < SERIAL_DAYS.first || days > SERIAL_DAYS.last) return undefined;
  // The fraction of a day is rounded to seconds, because it has no exact value.
  return new Date(Math.round((days - EPOCH_DAY) * (DAY_MS / 1_000)) * 1_000).toISOString();
}

function instantOf(date: Parts): string | undefined {
  const { year = '', name, day = '' } = date;
  const month = name === undefined ? date['month'] : monthNamed(name);
  const time = date['time'] === '' ? {} : TIME.exec(date['time']!)?.groups;
  const zone = time?.['zone'] === undefined ? {} : ZONE.exec(time['zone'])?.groups;
  if (month === undefined || time === undefined || zone === undefined) return undefined;
  const { minute = '00', second = '00', fraction = '0' }: Parts = time;
  const hour = hourOf(time['hour'], zone['half']);
  const digits = `${year.padStart(4, '20')}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return toInstant(`${digits}T${hour}:${minute}:${second}.${fraction}${offsetOf(zone['zone'])}`);
}

/** Returns the number of a month, by an English name or its beginning. */
function monthNamed(name: string): string | undefined {
  const at = MONTHS.indexOf(name.slice(0, 3).toLowerCase());
  return at === -1 ? undefined : String(at + 1);
}

/** Returns an hour in two digits, by the half of the day; one that does not exist stays so. */
function hourOf(hour = '0', half?: string): string {
  const hours = Number(hour);
  if (half === undefined) return hour.padStart(2, '0');
  if (hours < 1 || hours > 12) return '99';
  return String((hours % 12) + (half.toLowerCase() === 'p' ? 12 : 0)).padStart(2, '0');
}

function offsetOf(zone = ''): string {
  const offset = zone.replace(/^(?:UTC|GMT|Z)/i, '');
  if (offset === '') return 'Z';
  // Postgres writes offsets in whole hours.
  return offset.length === 3 ? `${offset}:00` : offset;
}

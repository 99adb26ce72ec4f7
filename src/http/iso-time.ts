import { instantOf, startOfDay } from '../infra/time-zones.ts';

const DAY_MS = 86_400_000;
const ISO_DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** A parsed date or time. */
interface IsoTime {
  /** The instant in ms, or the local time of a date and of a time without an offset. */
  ms: number;
  kind: 'date' | 'local' | 'instant';
}

/** Parses an ISO 8601 date or time; `undefined` if it does not exist. */
function parse(value: string): IsoTime | undefined {
  const match = ISO_DATE_TIME.exec(value);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute = '00', second = '00', fraction = '0', zone] = match;
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  if (Number(day) < 1 || Number(day) > lastDay || Number(year) < 1) return undefined;
  const fractionMs = fraction.slice(0, 3).padEnd(3, '0');
  const time = `${year}-${month}-${day}T${hour ?? '00'}:${minute}:${second}.${fractionMs}`;
  const offset = zone?.toUpperCase().replace(/^([+-]\d\d)(\d\d)$/, '$1:$2') ?? 'Z';
  const ms = Date.parse(`${time}${offset}`);
  if (Number.isNaN(ms)) return undefined;
  return { ms, kind: hour === undefined ? 'date' : zone === undefined ? 'local' : 'instant' };
}

/**
 * Parses an ISO 8601 text to an instant; a date is its start, and a time without an offset is in
 * UTC.
 *
 * @returns `undefined` if the date does not exist
 */
export function toInstant(value: string): string | undefined {
  const time = parse(value);
  return time === undefined ? undefined : new Date(time.ms).toISOString();
}

/** True for a date without a time. */
export const isDate = (value: string): boolean => parse(value)?.kind === 'date';

/**
 * Returns the start of a period: of a date, its first instant in the time zone. A time without an
 * offset is in the time zone.
 *
 * @param value a valid ISO 8601 text
 */
export const startIn = (timezone: string, value: string): Date => inZone(timezone, value, 0);

/** Returns the exclusive end of a period: of a date, the start of the next day. */
export const endIn = (timezone: string, value: string): Date => inZone(timezone, value, DAY_MS);

function inZone(timezone: string, value: string, dayOffsetMs: number): Date {
  const { ms, kind } = parse(value)!;
  if (kind === 'instant') return new Date(ms);
  if (kind === 'local') return new Date(instantOf(ms, timezone));
  return new Date(startOfDay(ms + dayOffsetMs, timezone));
}

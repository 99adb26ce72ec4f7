import JoiBase from 'joi';

/*
 * Kinds of fields that many schemas share. Everything here refuses what it does not understand; nothing is
 * guessed.
 */

/** Joi with `list`: an array, or its values in one comma-separated text. */
interface Kinds extends JoiBase.Root {
  list(): JoiBase.ArraySchema<string[]>;
}

const Joi = JoiBase.extend((joi: JoiBase.Root) => ({
  type: 'list',
  base: joi.array(),
  coerce: {
    from: 'string',
    method: (value: string) => ({ value: splitList(value) }),
  },
})) as Kinds;

/** Values of a comma-separated list; empty ones do not count. */
export function splitList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Several texts: `a,b`, or an array (in a query: the name repeated), whose members may be lists too. */
export function list(item: JoiBase.StringSchema = Joi.string()): JoiBase.ArraySchema<string[]> {
  return Joi.list()
    .items(item)
    .custom((values: string[]) => [...new Set(values)]);
}

/** As `list`, for a query, where `a,b&…=c` may mix both ways. */
export function queryList(
  item: JoiBase.StringSchema = Joi.string(),
): JoiBase.ArraySchema<string[]> {
  return Joi.list()
    .items(item)
    .custom((values: string[]) => [...new Set(values.flatMap(splitList))]);
}

/** `true` or `false`; in a query these two words and no others. */
export const flag = (): JoiBase.BooleanSchema => Joi.boolean().sensitive();

/** A flag in a JSON body: no words, only the JSON values. */
export const bodyFlag = (): JoiBase.BooleanSchema => Joi.boolean().strict();

/** A text of a body, at least one and at most `max` UTF-16 units long. */
export const text = (max: number): JoiBase.StringSchema => Joi.string().min(1).max(max);

/** A text that may be emptied with `null`. */
export const nullableText = (max: number): JoiBase.StringSchema => text(max).allow(null);

const ISO_DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/**
 * A point in time: ISO 8601, a date alone or a time without a zone meaning UTC. The checked value is the
 * same instant as `2026-01-31T12:00:00.000Z`.
 */
export const dateTime = (): JoiBase.StringSchema =>
  Joi.string()
    .isoDate()
    // Joi would turn 30 February into 2 March before we see it.
    .prefs({ convert: false })
    .custom((value: string, { error }) => toInstant(value) ?? error('string.isoDate'));

/** `undefined` when the text is no date that exists. */
export function toInstant(value: string): string | undefined {
  const match = ISO_DATE_TIME.exec(value);
  if (match === null) return undefined;
  const [
    ,
    year,
    month,
    day,
    hour = '00',
    minute = '00',
    second = '00',
    fraction = '0',
    zone = 'Z',
  ] = match;
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  if (Number(day) < 1 || Number(day) > lastDay || Number(year) < 1) return undefined;
  const ms = fraction.slice(0, 3).padEnd(3, '0');
  const offset = /^[+-]\d{4}$/.test(zone)
    ? `${zone.slice(0, 3)}:${zone.slice(3)}`
    : zone.toUpperCase();
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}${offset}`);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** A time zone that IANA knows; UTC without. */
export const timezone = (): JoiBase.StringSchema =>
  Joi.string()
    .custom((value: string, { error }) =>
      isTimezone(value)
        ? value
        : error('rule', { rule: 'must be an IANA time zone such as Europe/Berlin' }),
    )
    .default('UTC');

function isTimezone(name: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone: name });
    // Some engines also take offsets such as +01:00, which Postgres reads the other way round.
    return /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
}

/** Page number and size of a list. */
export const paging = (most: number) => ({
  page: Joi.number().integer().min(1).max(1_000_000).default(1).description('Page, from 1'),
  pageSize: Joi.number()
    .integer()
    .min(1)
    .max(most)
    .default(most)
    .description(`Records per page, at most ${most}`),
});

/** An id of any kind, as a path parameter or reference. */
export const id = (): JoiBase.StringSchema => Joi.string().min(1).max(260);

/** A path parameter that is a record's id, or the caller's own id after `ext_`. */
export const recordId = (): JoiBase.StringSchema =>
  id().description('The id of the record, or the caller’s own id of it after the prefix `ext_`');

/** The caller's own id in a parameter, without its `ext_`; `undefined` when the parameter is one of our ids. */
export function externalIdIn(parameter: string): string | undefined {
  return parameter.startsWith('ext_') ? parameter.slice(4) : undefined;
}

export { Joi };

import JoiBase from 'joi';
import { Refusal } from '../errors.ts';
import { ROLES } from '../workspaces/roles.ts';
import { SCOPES } from '../workspaces/scopes.ts';
import { toInstant } from './iso-time.ts';

/*
 * Schemas of fields that many bodies and queries share. They are strict: a value that is not
 * understood is refused.
 */

/** Maximum length of a text that is validated, in UTF-16 units; longer than any rule allows. */
const MAX_TEXT_LENGTH = 32_768;
/** Factor by which a text may exceed its limit before it is normalized. */
const SLACK = 4;
/** Maximum number of values in a list without a limit of its own. */
const MAX_VALUES = 100;

/** A number in a query: digits, not `1e2`. */
const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/**
 * Joi with the type `list`: an array, or a comma-separated text; members of a `queryList` may be
 * such texts too. `repeated` is an array, or one of its members.
 */
interface ExtendedJoi extends JoiBase.Root {
  list(): JoiBase.ArraySchema<string[]>;
  queryList(): JoiBase.ArraySchema<string[]>;
  repeated(): JoiBase.ArraySchema<string[]>;
}

/**
 * Refuses texts and lists that are too long before their content is validated; Joi alone tests
 * every pattern and member before the length.
 */
const Joi = JoiBase.extend(
  (joi: JoiBase.Root) => ({
    type: 'string',
    base: joi.string(),
    prepare(value: unknown, { schema, error }: JoiBase.CustomHelpers) {
      const limit = Math.min(MAX_TEXT_LENGTH, limitOf(schema));
      // The validated text may be shorter than the one sent: spaces are trimmed, combining marks
      // composed.
      if (typeof value !== 'string' || value.length <= SLACK * limit) return undefined;
      return { value, errors: [error('string.max', { limit, value })] };
    },
  }),
  (joi: JoiBase.Root) => ({
    type: 'number',
    base: joi.number(),
    prepare(value: unknown, { schema, error }: JoiBase.CustomHelpers) {
      if (typeof value !== 'string') return undefined;
      if (schema.$_getRule('integer') !== undefined) {
        return /^-?\d+$/.test(value) ? undefined : { value, errors: [error('number.integer')] };
      }
      return DECIMAL.test(value) ? undefined : { value, errors: [error('number.base')] };
    },
  }),
  (joi: JoiBase.Root) => ({
    type: 'array',
    base: joi.array(),
    prepare(value: unknown, helpers: JoiBase.CustomHelpers) {
      return Array.isArray(value) ? refuseTooMany(value, value.length, helpers) : undefined;
    },
  }),
  (joi: JoiBase.Root) => ({
    type: 'list',
    base: joi.array(),
    prepare(value: unknown, helpers: JoiBase.CustomHelpers) {
      return typeof value === 'string'
        ? refuseTooMany(value, value.split(',', limitOf(helpers.schema) + 1).length, helpers)
        : undefined;
    },
    coerce: {
      from: 'string',
      method: (value: string) => ({ value: splitList(value) }),
    },
  }),
  (joi: JoiBase.Root) => ({
    type: 'queryList',
    base: joi.array(),
    prepare(value: unknown, helpers: JoiBase.CustomHelpers) {
      const texts = [value].flat().filter((member) => typeof member === 'string');
      const limit = limitOf(helpers.schema) + 1;
      const count = texts.reduce((sum, text) => sum + text.split(',', limit).length, 0);
      return refuseTooMany(value, count, helpers);
    },
    coerce: {
      from: ['string', 'object'],
      method: (value: unknown) => ({
        value: [value]
          .flat()
          .flatMap((member) => (typeof member === 'string' ? splitList(member) : [member])),
      }),
    },
  }),
  (joi: JoiBase.Root) => ({
    type: 'repeated',
    base: joi.array(),
    prepare(value: unknown, helpers: JoiBase.CustomHelpers) {
      return Array.isArray(value) ? refuseTooMany(value, value.length, helpers) : undefined;
    },
    coerce: { from: 'string', method: (value: string) => ({ value: [value] }) },
  }),
) as ExtendedJoi;

/** Returns the limit that a rule `max` sets. */
function limitOf(schema: JoiBase.Schema): number {
  const rule = schema.$_getRule('max') as { args: { limit: number } } | undefined;
  return rule?.args.limit ?? Number.POSITIVE_INFINITY;
}

function refuseTooMany(
  value: unknown,
  count: number,
  { schema, error }: JoiBase.CustomHelpers,
): { value: unknown; errors?: JoiBase.ErrorReport[] } | undefined {
  const limit = limitOf(schema);
  return count <= limit ? undefined : { value, errors: [error('array.max', { limit, value })] };
}

/** Splits a comma-separated list; empty values are dropped. */
export function splitList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/**
 * Schema of several texts: `a,b`, or an array (in a query: the name repeated), whose members may be
 * lists too.
 */
export function list(item: JoiBase.StringSchema = Joi.string()): JoiBase.ArraySchema<string[]> {
  return Joi.list()
    .items(item)
    .custom((values: string[]) => [...new Set(values)])
    .max(MAX_VALUES);
}

/** Like `list`, for a query, where `a,b&…=c` may mix both forms. */
export function queryList(
  item: JoiBase.StringSchema | JoiBase.AlternativesSchema<string> = Joi.string(),
): JoiBase.ArraySchema<string[]> {
  return Joi.queryList()
    .items(item)
    .custom((values: string[]) => [...new Set(values)])
    .max(MAX_VALUES);
}

/**
 * Schema of several texts in a query, which may contain commas: the name is repeated for each.
 */
export const repeated = (item: JoiBase.StringSchema): JoiBase.ArraySchema<string[]> =>
  Joi.repeated()
    .items(item)
    .min(1)
    .custom((values: string[]) => [...new Set(values)])
    .max(MAX_VALUES);

/**
 * Schema of names in a query, which may contain commas. The value of a repeated parameter is the
 * names; that of a single one with a comma is its text, which is one name or several.
 */
export const queryNames = (): JoiBase.ArraySchema<string[]> =>
  list().custom((names: string[], { original }) =>
    typeof original === 'string' && original.includes(',') ? original : names,
  );

/** Schema of `true` or `false`; in a query only these two words. */
export const flag = (): JoiBase.BooleanSchema => Joi.boolean().sensitive();

/** Schema of a flag in a JSON body: only the JSON values, no words. */
export const bodyFlag = (): JoiBase.BooleanSchema => Joi.boolean().strict();

/** Schema of a text in a body, from one to `max` UTF-16 units long. */
export const text = (max: number): JoiBase.StringSchema => Joi.string().min(1).max(max);

/** Schema of the name of a record: trimmed and normalized (NFC). */
export const nameText = (max: number): JoiBase.StringSchema => text(max).trim().normalize('NFC');

/** Returns the fields with empty texts treated as absent. */
export const emptyAsAbsent = <Fields extends Record<string, JoiBase.Schema>>(
  fields: Fields,
): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [
      name,
      schema.type === 'string' ? schema.empty('') : schema,
    ]),
  ) as Fields;

/** Schema of a text that `null` clears. */
export const nullableText = (max: number): JoiBase.StringSchema => text(max).allow(null);

/**
 * Schema of a point in time: ISO 8601; a date alone, or a time without a zone, is in UTC. The
 * validated value is the same instant in the form `2026-01-31T12:00:00.000Z`.
 */
export const dateTime = (): JoiBase.StringSchema =>
  Joi.string()
    .isoDate()
    // Joi would turn 30 February into 2 March before validation.
    .prefs({ convert: false })
    .custom((value: string, { error }) => toInstant(value) ?? error('string.isoDate'));

/**
 * Schema of a bound of a period in a time zone: a date or time of ISO 8601, which `startIn` and
 * `endIn` of `iso-time.ts` read.
 */
export const zonedTime = (): JoiBase.StringSchema =>
  Joi.string().custom((value: string, { error }) =>
    toInstant(value) === undefined ? error('string.isoDate') : value,
  );

/** Schema of a point in time in the future. */
export const futureDateTime = (): JoiBase.StringSchema =>
  dateTime().custom((value: string, { warn }) => {
    if (Date.parse(value) <= Date.now()) warn('rule', { rule: 'must be in the future' });
    return value;
  });

/** Schema of a time zone by its IANA name; UTC by default. */
export const timezone = (): JoiBase.StringSchema =>
  Joi.string()
    .custom((value: string, { error }) =>
      isTimezone(value)
        ? value
        : error('rule', { rule: 'must be an IANA time zone such as Europe/Berlin' }),
    )
    .default('UTC');

/**
 * IANA names of three letters. Node also accepts those of old Java versions, such as PST, which are
 * ambiguous.
 */
const THREE_LETTERS = new Set('CET EET EST GMT HST MET MST PRC ROC ROK UCT UTC WET'.split(' '));

function isTimezone(name: string): boolean {
  // Some engines also accept offsets such as +01:00, which Postgres reads with the opposite sign.
  if (!/^[A-Za-z]/.test(name) || /^SystemV\//i.test(name)) return false;
  if (name.length === 3 && !THREE_LETTERS.has(name.toUpperCase())) return false;
  return canonicalTimezone(name) !== undefined;
}

/**
 * Returns the oldest name of a time zone, which every version of Postgres knows: Europe/Kiev for
 * Europe/Kyiv.
 *
 * @returns `undefined` if there is no such zone
 */
export function canonicalTimezone(name: string): string | undefined {
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** Maximum length of a cursor, in characters: base64url of two sort values and a signature. */
const MAX_CURSOR = 6_000;

/** Schema of the cursor of a page of a list. */
export const cursor = (): JoiBase.StringSchema =>
  text(MAX_CURSOR)
    .description(
      'Cursor of the page, from the header `X-Next-Cursor` or `Link` of the previous one. Unlike ' +
        '`page`, it reaches any depth, and no record is repeated or left out.',
    )
    .meta({ extension: true });

/** Schemas of page number, page size and cursor of a list. */
export const paging = (maxLimit: number) => ({
  page: Joi.number().integer().min(1).max(1_000_000).default(1).description('Page, from 1'),
  pageSize: Joi.number()
    .integer()
    .min(1)
    .max(maxLimit)
    .default(maxLimit)
    .description(`Records per page, at most ${maxLimit}`),
  after: cursor(),
});

/** Maximum row that a page may reach, because all rows before it are read too. */
const MAX_ROW = 100_000;

/** @throws Refusal `unprocessable_entity` for a page too far into a list */
export function refuseFarPage(query: unknown): void {
  const { page = 1, pageSize, limit = pageSize, cursor: start } = query as Record<string, number>;
  if (limit === undefined || start !== undefined || page * limit <= MAX_ROW) return;
  throw new Refusal(
    'unprocessable_entity',
    `page must not reach further than row ${MAX_ROW}; follow the header Link of each page instead`,
  );
}

/** Schema of a scope of a key or a role. */
export const scope = Joi.string()
  .valid('*', ...SCOPES)
  .meta({ name: 'Scope' });

/** Schema of any id, as a path parameter or reference. */
export const id = (): JoiBase.StringSchema => Joi.string().min(1).max(260);

/** Schema of a path parameter that is a record's id, or the caller's own id after `ext_`. */
export const recordId = (): JoiBase.StringSchema =>
  id().description('Id of the record, or its external id after the prefix `ext_`');

/**
 * Schema of the caller's own id of a record, unambiguous in lists of ids and with the prefix
 * `ext_`.
 */
export const externalIdText = (max: number): JoiBase.StringSchema =>
  text(max).custom((value: string, { error }) => {
    if (value.startsWith('ext_')) {
      return error('rule', {
        rule: 'must not begin with ext_, the prefix of external ids in paths and queries',
      });
    }
    if (value.includes(',')) return error('rule', { rule: 'must not contain commas' });
    if (value !== value.trim()) return error('rule', { rule: 'must not begin or end with spaces' });
    return value;
  });

/**
 * Returns the caller's own id in a parameter, without `ext_`; `undefined` if the parameter is an id
 * of this service.
 */
export function externalIdIn(parameter: string): string | undefined {
  return parameter.startsWith('ext_') ? parameter.slice(4) : undefined;
}

export { Joi };

/* Schemas of the values of records, for the reference and for checking answers. */
export const requiredText = Joi.string().required();
export const requiredTime = Joi.string().isoDate().required();
export const requiredCount = Joi.number().integer().required();

/** A text of a record, or `null`. */
export const nullable = Joi.string().allow(null).required();
/** A time of a record, or `null`. */
export const nullableTime = requiredTime.allow(null);

/** Schema of one of several texts. */
export const oneOf = (names: readonly string[]): JoiBase.StringSchema =>
  Joi.string().valid(...names);

/** Schema of a role of people in a workspace. */
export const role = oneOf(ROLES).required().description('Role in the workspace.');

import type { Schema, StringSchema } from 'joi';
import { domainField } from '../http/domain-name.ts';
import { flag, id, Joi, queryList, repeated, text } from '../http/fields.ts';
import { foldCase } from '../infra/letter-case.ts';
import { cityKey } from '../visitors/city.ts';
import { CONTINENTS, COUNTRY_CODES } from '../visitors/countries.ts';
import { BROWSERS, DEVICES, SYSTEMS, spellingsOfSystems } from '../visitors/device.ts';
import { UNKNOWN } from '../visitors/places.ts';
import { referersOf } from '../visitors/sources.ts';
import { pageOf } from './dimensions.ts';
import type { StoredEvent } from './event.ts';
import type { Traffic } from './kinds.ts';
import { type UtmField, utmText } from './utm.ts';

/*
 * Filters of events. A row of FILTERS defines what a parameter compares and how. The live stream,
 * Postgres, its blocks and ClickHouse each translate the operators and their negation. Stores have
 * special cases for computed values, blocks for parts of a value (`WITHIN` of
 * `block-conditions.ts`).
 */

/** Key under which visits of a domain's root are recorded. */
export const ROOT_KEY = '_root';

const VIA = Joi.string().valid('link', 'qr');
const oneOf = (what: string, names: readonly string[]) =>
  queryList(Joi.string().valid(...names))
    .min(1)
    .description(`One or more of these ${what}.`);
const examples = (names: readonly string[]): string =>
  ['Chrome', 'Safari', 'Firefox', 'Windows', 'iOS', 'Android']
    .filter((name) => names.includes(name))
    .join(', ');
/** Tells readers of the reference how several values are sent, where values can contain commas. */
const REPEAT = 'Repeat the parameter for one of several.';
const partOf = (what: string) =>
  repeated(text(1_000)).description(`Part of ${what}, regardless of case. ${REPEAT}`);

/** Reads the value of an event that a filter compares. */
type ValueOf = (event: StoredEvent) => string | null;
/** Columns of events that hold a text. */
type Column = {
  [Name in keyof StoredEvent]: StoredEvent[Name] extends string | null ? Name : never;
}[keyof StoredEvent];

/**
 * Makes a filter for events with one of several values in a column.
 *
 * @param block the column of blocks that has the value (`block-columns.ts`)
 */
const list = (column: Column, schema: Schema, block: string = column) => ({
  operator: 'oneOf' as const,
  column,
  block,
  valueOf: (event: StoredEvent) => event[column],
  schema,
});

/** Makes a filter for events whose text contains one of several others, ignoring case. */
const containing = (
  column: Column,
  schema: Schema,
  valueOf: ValueOf = (event) => event[column],
) => ({
  operator: 'contains' as const,
  column,
  block: column,
  valueOf,
  schema,
});

/** Makes a filter by a UTM parameter of the destination. */
const utm = (name: UtmField) => ({
  operator: 'oneOf' as const,
  column: name,
  block: 'utm',
  ignoresCase: true as const,
  valueOf: ({ url }: StoredEvent) => utmText(url, name) ?? null,
  schema: repeated(text(1_000))
    .description(
      `Value of the parameter \`${name}\` in the destination, regardless of case. ${REPEAT}`,
    )
    .meta({ extension: true }),
});

/**
 * The filters by the query parameter that sets them, in the order of the reference. `storedOf` lists
 * the values in events that requested ones stand for.
 */
export const FILTERS = {
  domain: list(
    'domain',
    queryList(domainField() as StringSchema)
      .min(1)
      .description('Domain of the short link, or several.'),
  ),
  // A link or code that is selected is in `EventFilter.records`; conditions have excluded ones.
  linkId: list(
    'link_id',
    queryList(id())
      .min(1)
      .description('Id of the short link, or its external id after `ext_`; or several.'),
    'record',
  ),
  pageId: list(
    'page_id',
    queryList(id()).min(1).description('Id of the page before the destination, or several.'),
    'page',
  ),
  continent: list('continent', oneOf('continents', CONTINENTS)),
  country: list(
    'country',
    queryList(
      Joi.alternatives(
        Joi.string()
          .valid(...COUNTRY_CODES)
          .meta({ name: 'CountryCode' }),
        Joi.string().valid(UNKNOWN),
      ).messages({ 'alternatives.types': '{{#label}} must be one of {{#types}}' }),
    )
      .min(1)
      .description('One of these countries, or several.'),
  ),
  city: list(
    'city',
    repeated(text(200)).description(
      `Name of a city, regardless of case and accents; a district is ignored. ${REPEAT}`,
    ),
  ),
  device: list('device', oneOf('devices', [...DEVICES, UNKNOWN])),
  browser: list(
    'browser',
    queryList(text(100))
      .min(1)
      .description(
        `Name of a browser, or several: ${examples(BROWSERS)}, or any other in events of the workspace.`,
      ),
  ),
  os: {
    ...list(
      'os',
      queryList(text(100))
        .min(1)
        .description(
          `Name of an operating system, or several: ${examples(SYSTEMS)}, or any other in events of the workspace.`,
        ),
    ),
    storedOf: spellingsOfSystems,
  },
  source: {
    ...list(
      'referer',
      queryList(text(253))
        .min(1)
        .description(
          'Name of a source that visitors came from, or several, regardless of case: `Google`, ' +
            '`example.com`, or `(direct)` without one.',
        )
        .meta({ extension: true }),
    ),
    storedOf: referersOf,
  },
  referer: containing('referer', partOf('the host that visitors came from')),
  url: containing('url', partOf('the destination, without its query'), ({ url }) => pageOf(url)),
  variant: list(
    'variant',
    queryList(text(50))
      .min(1)
      .description(
        'One or more variants of an A/B test, with their leads and sales. Names are unique ' +
          'within a link or QR code: set `linkId` or `qrcodeId` too.',
      )
      .meta({ extension: true }),
    'variant_name',
  ),
  utm_source: utm('utm_source'),
  utm_medium: utm('utm_medium'),
  utm_campaign: utm('utm_campaign'),
  utm_term: utm('utm_term'),
  utm_content: utm('utm_content'),
  types: list(
    'via',
    queryList(VIA as StringSchema).description('How the short link was opened: one, or both.'),
  ),
  root: {
    operator: 'is' as const,
    column: 'root',
    block: 'root',
    valueOf: ({ link_id, key }: StoredEvent) => (link_id === null && key === ROOT_KEY ? '' : null),
    schema: flag().description(
      'true: only visits of a domain’s root, with their leads and sales; false: everything else, ' +
        'including sales without a link.',
    ),
  },
};

/** Name of a filter, which is the query parameter that sets it. */
export type FilterName = keyof typeof FILTERS;
export const FILTER_NAMES = Object.keys(FILTERS) as FilterName[];

/** Returns the form in which a filter compares a value. */
export function keyOf(filter: FilterName, value: string): string {
  if (filter === 'city') return cityKey(value);
  return ignoresCase(filter) ? foldCase(value) : value;
}

/** A test of the value that a filter compares. An event without a value fails all but `is`. */
export type Test =
  | { oneOf: string[] }
  /** Text that the value contains, ignoring case. */
  | { contains: string }
  /** Texts of which the value contains one, ignoring case. */
  | { containsOne: string[] }
  /** True if a value is required, false if there must be none. */
  | { is: boolean };

/**
 * A condition on the value that a filter compares: a test, or one that it must fail. It is plain
 * data, because jobs carry it.
 */
export type Condition = { filter: FilterName } & (Test | { not: Test });

/** A filter of events; an event must meet all of its conditions. */
export interface EventFilter {
  /** Ids of links and QR codes. */
  records?: string[] | undefined;
  domain?: string | undefined;
  /** Conditions, no more than one per filter. */
  conditions?: readonly Condition[] | undefined;
  /** Visits of people, of suspects, or both. Default: of people. */
  traffic?: Traffic | undefined;
}

/** A condition that no event matches. */
export const NOTHING: Condition = { filter: 'types', oneOf: [] };

/** Returns true for a filter that no event can match, such as one with contradicting parameters. */
export const matchesNothing = ({ records, conditions = [] }: EventFilter): boolean =>
  records?.length === 0 ||
  conditions.some((condition) => 'oneOf' in condition && condition.oneOf.length === 0);

/**
 * Returns true for a filter by more than records and a domain, which counters, sums of blocks and
 * kept counts cannot answer.
 */
export const hasConditions = ({ conditions = [] }: EventFilter): boolean => conditions.length > 0;

/** Values of the filters, as the query of a request has them. */
export type FilterValues = {
  [Name in FilterName]?:
    | ((typeof FILTERS)[Name] extends { operator: 'is' } ? boolean : string[])
    | undefined;
};

/**
 * Converts filter values to conditions.
 *
 * @param excluding the filters whose values are excluded
 */
export function conditionsOf(query: FilterValues, excluding: readonly string[] = []): Condition[] {
  return FILTER_NAMES.flatMap((filter): Condition[] => {
    const value = query[filter];
    if (value === undefined) return [];
    if (typeof value === 'boolean') return [{ filter, is: value }];
    const test = testOf(filter, value);
    return [{ filter, ...(excluding.includes(filter) ? { not: test } : test) }];
  });
}

function testOf(filter: FilterName, values: string[]): Test {
  if (FILTERS[filter].operator === 'contains') {
    return values.length === 1 ? { contains: values[0]! } : { containsOne: values };
  }
  const { storedOf } = FILTERS[filter] as { storedOf?: (values: readonly string[]) => string[] };
  return { oneOf: storedOf === undefined ? values : storedOf(values) };
}

/** Returns true for a filter whose values are compared by {@link foldCase}. */
export const ignoresCase = (filter: FilterName): boolean => 'ignoresCase' in FILTERS[filter];

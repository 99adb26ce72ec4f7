import type { NumberSchema } from 'joi';
import { Joi } from '../../http/fields.ts';
import { EVENT_KINDS, type EventKind, kindOf, kindsWithVisitors, pluralOf } from '../kinds.ts';

/**
 * Numbers of a row: the count of each event kind, sums of amounts in US cents, and the number of
 * visitors.
 */
export type Numbers = Record<string, number>;

/** Name of the number of visitors. */
export const VISITORS = 'visitors';

/** Lists the names of the numbers of some event kinds. */
export const numberNames = (kinds: readonly EventKind[]): string[] => [
  ...kinds.flatMap((kind) => {
    const { amount } = kindOf(kind);
    const plural = pluralOf(kind);
    return amount === undefined ? [plural] : [plural, amount];
  }),
  ...(kindsWithVisitors(kinds).length === 0 ? [] : [VISITORS]),
];

/** Unit and limit of a sum of amounts, for the reference. */
const AMOUNT = 'Sum in US cents; larger sums are returned as 9007199254740991 (2^53 - 1).';

/** Definitions of the sums of amounts, for the reference. */
const AMOUNTS: Readonly<Record<string, string>> = {
  saleAmount: `Amount of sales less refunds. ${AMOUNT}`,
  refundAmount: `Amount of refunds. ${AMOUNT}`,
};

/** Numbers that the published interface does not have. */
const EXTENSIONS: ReadonlySet<string> = new Set(['refunds', 'refundAmount']);

/** Definition of the number of visitors, for the reference. */
const OF_VISITORS =
  'Number of visitors of clicks and scans; of views if only views are counted. A visitor counts ' +
  'once a day (UTC) for each link, QR code, page or domain root.';

/** Returns the schemas of the numbers of some event kinds, by name, for the reference. */
export const numberSchemasOf = (kinds: readonly EventKind[]): Record<string, NumberSchema> =>
  Object.fromEntries(numberNames(kinds).map((name) => [name, schemaOf(name)]));

function schemaOf(name: string): NumberSchema {
  if (name === VISITORS) return Joi.number().description(OF_VISITORS).meta({ extension: true });
  const schema = Joi.number().description(AMOUNTS[name] ?? `Number of ${name}.`);
  return EXTENSIONS.has(name) ? schema.meta({ extension: true }) : schema;
}

/** Schemas of all numbers, for the reference. */
export const numberSchemas = numberSchemasOf(EVENT_KINDS);

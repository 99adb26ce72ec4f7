import type { NumberSchema } from 'joi';
import { Joi } from '../../http/fields.ts';
import { EVENT_KINDS, type EventKind, kindOf, pluralOf } from '../kinds.ts';

/** Numbers of a row: the count of each event kind, and sums of amounts in US cents. */
export type Numbers = Record<string, number>;

/** Lists the names of the numbers of some event kinds. */
export const numberNames = (kinds: readonly EventKind[]): string[] =>
  kinds.flatMap((kind) => {
    const { amount } = kindOf(kind);
    const plural = pluralOf(kind);
    return amount === undefined ? [plural] : [plural, amount];
  });

/** Unit and limit of a sum of amounts, for the reference. */
const AMOUNT = 'Sum in US cents; larger sums are returned as 9007199254740991 (2^53 - 1).';

/** Returns the schemas of the numbers of some event kinds, by name, for the reference. */
export const numberSchemasOf = (kinds: readonly EventKind[]): Record<string, NumberSchema> =>
  Object.fromEntries(
    kinds.flatMap((kind): [string, NumberSchema][] => {
      const { amount } = kindOf(kind);
      const plural = pluralOf(kind);
      const count: [string, NumberSchema] = [
        plural,
        Joi.number().description(`Number of ${plural}.`),
      ];
      return amount === undefined ? [count] : [count, [amount, Joi.number().description(AMOUNT)]];
    }),
  );

/** Schemas of all numbers, for the reference. */
export const numberSchemas = numberSchemasOf(EVENT_KINDS);

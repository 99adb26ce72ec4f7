import type { NumberSchema } from 'joi';
import { Joi } from '../../http/fields.ts';
import { EVENT_KINDS, type EventKind, kindOf, pluralOf } from '../kinds.ts';

/** The numbers of a row: the count of each kind of event, and the sums of amounts in US cents. */
export type Numbers = Record<string, number>;

/** Names of the numbers of some kinds of events. */
export const numberNames = (kinds: readonly EventKind[]): string[] =>
  kinds.flatMap((kind) => {
    const { amount } = kindOf(kind);
    const plural = pluralOf(kind);
    return amount === undefined ? [plural] : [plural, amount];
  });

/** Unit and limit of a sum of amounts. */
const AMOUNT =
  'In US cents, exact up to 9007199254740991 (2^53 - 1), which stands for all that is more.';

/** Schemas of the numbers of some kinds of events, by their names, for the reference. */
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

/** Any of the numbers, for the reference. */
export const numberSchemas = numberSchemasOf(EVENT_KINDS);

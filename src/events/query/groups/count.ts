import { Joi } from '../../../http/fields.ts';
import {
  EVENT_KINDS,
  type EventKind,
  type EventParameter,
  kindOf,
  kindOfStored,
  kindsOf,
  pluralOf,
  type StoredKind,
  storedKinds,
  type Traffic,
  VISIT_KINDS,
} from '../../kinds.ts';
import type { RecordCounters } from '../../records.ts';
import { eventsStore } from '../../store/index.ts';
import { type Numbers, numberNames, numberSchemasOf, VISITORS } from '../numbers.ts';
import type { Group } from './group.ts';

/** Names in the totals object of the contract that differ from the names used elsewhere. */
const TOTAL_NAMES = new Map(
  EVENT_KINDS.map((kind): [string, string] => {
    const plural = pluralOf(kind);
    return [plural, kindOf(kind).totalName ?? plural];
  }),
);
const totalName = (name: string): string => TOTAL_NAMES.get(name) ?? name;

/** Builds the totals object of the contract. */
const totals = (numbers: Numbers) =>
  Object.fromEntries(
    numberNames(EVENT_KINDS).flatMap((name) =>
      numbers[name] === undefined ? [] : [[totalName(name), numbers[name]]],
    ),
  );

const required = (kinds: readonly EventKind[]) =>
  Object.entries(numberSchemasOf(kinds)).map(
    // Counters of records have no visitors.
    ([name, schema]) => [name, name === VISITORS ? schema : schema.required()] as const,
  );

export const count: Group = {
  answer: Joi.object(
    Object.fromEntries(
      required(EVENT_KINDS).map(([name, schema]) =>
        totalName(name) === name
          ? [name, schema]
          : [
              totalName(name),
              schema.description(`Number of ${name}; the contract has this spelling.`),
            ],
      ),
    ),
  ),
  read: async (query) => totals(await eventsStore().totals({ ...query, events: EVENT_KINDS })),
};

/** Makes the group that counts the kinds which a value of the parameter `event` means. */
const countOf = (parameter: EventParameter): Group => ({
  answer: Joi.object(Object.fromEntries(required(kindsOf(parameter)))),
  read: (query) => eventsStore().totals({ ...query, events: kindsOf(parameter) }),
});

/** One group for each value of the parameter `event`. */
export const counts = Object.fromEntries(
  [...EVENT_KINDS.map(pluralOf), 'composite' as const].map((name) => [name, countOf(name)]),
) as Record<EventParameter, Group>;

/** Change of each total compared with the preceding interval of the same length. */
export const kpis: Group = {
  answer: Joi.object().pattern(
    Joi.string().valid(...numberNames(EVENT_KINDS)),
    Joi.object({
      value: Joi.number().required(),
      previous: Joi.number().required(),
      change: Joi.number()
        .allow(null)
        .required()
        .description('Change in percent; null if there was nothing before.'),
    }),
  ),
  async read(query) {
    const { start, end } = query.span;
    const before = new Date(start.getTime() - (end.getTime() - start.getTime()));
    const span = { ...query.span, start: before, end: start };
    const [now, previous] = await Promise.all([
      eventsStore().totals({ ...query, events: EVENT_KINDS }),
      eventsStore().totals({ ...query, span, events: EVENT_KINDS }),
    ]);
    return Object.fromEntries(
      Object.entries(now).map(([name, value]) => {
        const earlier = previous[name]!;
        const change = earlier === 0 ? null : round((100 * (value - earlier)) / Math.abs(earlier));
        return [name, { value, previous: earlier, change }];
      }),
    );
  },
};

const round = (value: number): number => Math.round(value * 100) / 100;

/**
 * Builds the totals object from the counters stored with records. Visits of domain roots and
 * visitors are not in them.
 */
export const totalsOfCounters = (counters: RecordCounters, traffic: Traffic = 'person'): object =>
  totals(
    Object.fromEntries(
      EVENT_KINDS.flatMap((kind) => {
        const { amount } = kindOf(kind);
        const { link, qrcode } = counters;
        const name = kind === 'refund' ? 'refundAmountCents' : 'saleAmountCents';
        const sum = traffic === 'suspect' ? 0 : link[name] + qrcode[name];
        const stored = storedKinds([kind], traffic);
        const number = stored.reduce((all, one) => all + countOfStored(one, counters), 0);
        return [
          [pluralOf(kind), number],
          ...(amount === undefined ? [] : [[amount, Math.min(sum, Number.MAX_SAFE_INTEGER)]]),
        ];
      }),
    ),
  );

function countOfStored(stored: StoredKind, { link, qrcode, page }: RecordCounters): number {
  const kind = kindOfStored(stored);
  const { family, counter } = kindOf(stored);
  if (family === 'conversion') return link[counter] + qrcode[counter];
  const counts = kind === 'view' ? page : kind === VISIT_KINDS.qrcode ? qrcode : link;
  return counts[counter as 'visits' | 'suspects'];
}

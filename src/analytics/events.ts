import type { EventName } from '../events/event.ts';
import { Joi } from '../infra/fields.ts';

/** Values of the parameter `event`, and the events that each means. */
export const EVENTS = {
  clicks: ['click'],
  leads: ['lead'],
  sales: ['sale'],
  scans: ['scan'],
  views: ['view'],
  composite: ['click', 'lead', 'sale'],
} as const satisfies Record<string, readonly EventName[]>;
export type EventParameter = keyof typeof EVENTS;

/** The field of a row that has the number of an event. */
const FIELDS: Record<EventName, string> = {
  click: 'clicks',
  scan: 'scans',
  view: 'views',
  lead: 'leads',
  sale: 'sales',
};

/** The numbers of a row: of each event how many, of sales also how much, in cents. */
export type Numbers = Record<string, number>;

/** SQL of the numbers of some events, over rows of `source`. */
export function numbersSql(events: readonly EventName[]): string {
  return events
    .flatMap((event) => [
      `coalesce(sum(n) FILTER (WHERE event = '${event}'), 0)::bigint AS "${FIELDS[event]}"`,
      ...(event === 'sale'
        ? [`coalesce(sum(amount) FILTER (WHERE event = 'sale'), 0)::bigint AS "saleAmount"`]
        : []),
    ])
    .join(', ');
}

/** The names of those numbers, in the same order. */
export const numberNames = (events: readonly EventName[]): string[] =>
  events.flatMap((event) => (event === 'sale' ? ['sales', 'saleAmount'] : [FIELDS[event]]));

const number = Joi.number();

/** Any of the numbers, for the reference. */
export const numberSchemas = {
  clicks: number,
  scans: number,
  views: number,
  leads: number,
  sales: number,
  saleAmount: number.description('In cents.'),
};

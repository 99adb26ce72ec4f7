import { LRUCache } from 'lru-cache';
import { memoize } from '../infra/memoize.ts';
import type { Conditions, RuleEntry, TimeWindow } from '../lookup/entry.ts';
import { isOneOfCities } from '../visitors/city.ts';
import type { Facts, Traits } from './facts.ts';

/** True when all conditions of a rule are met. */
export function matches({ when }: RuleEntry, facts: Facts): boolean {
  return typeof when === 'string' ? isOneTrait(when, facts.traits) : meets(when, facts);
}

const TRAITS = ['country', 'device', 'os', 'browser'] as const;

function isOneTrait(text: string, traits: Traits): boolean {
  return (
    TRAITS.some((trait) => traits[trait].toLowerCase() === text) ||
    isOneOfCities(traits.city, [text]) ||
    speaks(traits.language, text)
  );
}

function meets(when: Conditions, { traits, query, now }: Facts): boolean {
  if (when.from !== undefined && now < when.from) return false;
  if (when.until !== undefined && now >= when.until) return false;
  for (const trait of TRAITS) {
    if (when[trait]?.includes(traits[trait].toLowerCase()) === false) return false;
  }
  if (when.city !== undefined && !isOneOfCities(traits.city, when.city)) return false;
  if (when.language?.some((range) => speaks(traits.language, range)) === false) return false;
  if (when.query !== undefined && !hasParameters(query, when.query)) return false;
  return when.time === undefined || isWithin(when.time, now);
}

/**
 * True when a language tag matches a language range: `de-at` matches `de`, but not the reverse (RFC
 * 4647, 3.3.1).
 */
function speaks(language: string, range: string): boolean {
  const tag = language.toLowerCase();
  return range !== '' && (tag === range || tag.startsWith(`${range}-`));
}

function hasParameters(query: string, required: Record<string, string[] | true>): boolean {
  const parameters = parametersOf(query);
  return Object.entries(required).every(([name, values]) => {
    const sent = parameters.get(name);
    return sent !== undefined && (values === true || sent.some((value) => values.includes(value)));
  });
}

/** Parses a query. The last one is kept, since all rules of a link read it, and it can be long. */
const parametersOf = memoize(
  (query: string) => {
    const parameters = new Map<string, string[]>();
    for (const [name, value] of new URLSearchParams(query)) {
      const values = parameters.get(name);
      if (values === undefined) parameters.set(name, [value]);
      else values.push(value);
    }
    return parameters;
  },
  new LRUCache<string, Map<string, string[]>>({ max: 1 }),
);

const clockOf = memoize(
  (timeZone: string) =>
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    }),
  new Map(),
);
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

function isWithin({ from, to, days, timezone }: TimeWindow, now: number): boolean {
  const parts = new Map(
    clockOf(timezone)
      .formatToParts(now)
      .map(({ type, value }) => [type, value]),
  );
  const minute = Number(parts.get('hour')) * 60 + Number(parts.get('minute'));
  const today = DAYS.indexOf(parts.get('weekday') ?? '');
  const isDay = (day: number) => days === undefined || days.includes((day + 7) % 7);
  if (from < to) return isDay(today) && minute >= from && minute < to;
  // The window ends on the next day, so it may have begun yesterday.
  return (isDay(today) && minute >= from) || (isDay(today - 1) && minute < to);
}

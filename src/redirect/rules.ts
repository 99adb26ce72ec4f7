import type { Conditions, RuleEntry, TimeWindow } from '../lookup/entry.ts';

/** What a visitor brings along that rules look at. Texts in any case. */
export interface Traits {
  country: string;
  city: string;
  device: string;
  os: string;
  browser: string;
  /** The language tag that they like best. */
  language: string;
}

/** When and how somebody came. */
export interface Occasion {
  traits: Traits;
  /** Raw query of the request. */
  query: string;
  /** Milliseconds since 1970. */
  now: number;
}

/** Whether a rule holds of a visit. */
export function holds({ when }: RuleEntry, occasion: Occasion): boolean {
  return typeof when === 'string' ? isOneTrait(when, occasion.traits) : fits(when, occasion);
}

const TRAITS = ['country', 'city', 'device', 'os', 'browser'] as const;

function isOneTrait(text: string, traits: Traits): boolean {
  return (
    TRAITS.some((trait) => traits[trait].toLowerCase() === text) || speaks(traits.language, text)
  );
}

function fits(when: Conditions, { traits, query, now }: Occasion): boolean {
  if (when.from !== undefined && now < when.from) return false;
  if (when.until !== undefined && now >= when.until) return false;
  for (const trait of TRAITS) {
    if (when[trait]?.includes(traits[trait].toLowerCase()) === false) return false;
  }
  if (when.language?.some((wanted) => speaks(traits.language, wanted)) === false) return false;
  if (when.query !== undefined && !hasParameters(query, when.query)) return false;
  return when.time === undefined || isWithin(when.time, now);
}

/** Whether a language tag is of a wanted language: `de-at` is of `de`, not the other way round (RFC 4647, 3.3.1). */
function speaks(tag: string, wanted: string): boolean {
  const own = tag.toLowerCase();
  return wanted !== '' && (own === wanted || own.startsWith(`${wanted}-`));
}

function hasParameters(query: string, wanted: Record<string, string[] | true>): boolean {
  const sent = new URLSearchParams(query);
  return Object.entries(wanted).every(([name, values]) =>
    values === true ? sent.has(name) : sent.getAll(name).some((value) => values.includes(value)),
  );
}

const clocks = new Map<string, Intl.DateTimeFormat>();
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

function isWithin({ from, to, days, timezone }: TimeWindow, now: number): boolean {
  let clock = clocks.get(timezone);
  if (clock === undefined) {
    clock = new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    clocks.set(timezone, clock);
  }
  const parts = new Map(clock.formatToParts(now).map(({ type, value }) => [type, value]));
  const minute = Number(parts.get('hour')) * 60 + Number(parts.get('minute'));
  const today = DAYS.indexOf(parts.get('weekday') ?? '');
  const isDay = (day: number) => days === undefined || days.includes((day + 7) % 7);
  if (from < to) return isDay(today) && minute >= from && minute < to;
  // It goes on into the next day: then yesterday is the day on which it began.
  return (isDay(today) && minute >= from) || (isDay(today - 1) && minute < to);
}

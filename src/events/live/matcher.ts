import type { StoredEvent } from '../event.ts';
import { type Condition, type EventFilter, FILTERS, keyOf } from '../filters.ts';
import { EVENT_KINDS, storedKinds } from '../kinds.ts';

/** Tells whether an event matches a filter. */
export type Matcher = (event: StoredEvent) => boolean;

/** Makes a function that matches events against a filter. */
export function matcherOf({ records, domain, conditions = [], traffic }: EventFilter): Matcher {
  const kinds = new Set(storedKinds(EVENT_KINDS, traffic));
  const matchers: Matcher[] = conditions.map(matcherOfCondition);
  matchers.unshift(({ event }) => kinds.has(event));
  if (records !== undefined) {
    const ids = new Set<string | null>(records);
    matchers.push(({ link_id }) => ids.has(link_id));
  }
  if (domain !== undefined) matchers.push((event) => event.domain === domain);
  return (event) => matchers.every((matches) => matches(event));
}

function matcherOfCondition(condition: Condition): Matcher {
  const { filter } = condition;
  const { valueOf } = FILTERS[filter];
  if ('oneOf' in condition) {
    const accepted = new Set(condition.oneOf.map((value) => keyOf(filter, value)));
    return (event) => {
      const value = valueOf(event);
      return value !== null && accepted.has(keyOf(filter, value));
    };
  }
  if ('contains' in condition) {
    const part = condition.contains.toLowerCase();
    return (event) => valueOf(event)?.toLowerCase().includes(part) === true;
  }
  return (event) => (valueOf(event) !== null) === condition.is;
}

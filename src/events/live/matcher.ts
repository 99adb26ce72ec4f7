import type { StoredEvent } from '../event.ts';
import {
  type Condition,
  type EventFilter,
  FILTERS,
  type FilterName,
  keyOf,
  type Test,
} from '../filters.ts';
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
  if (!('not' in condition)) return matcherOfTest(condition.filter, condition);
  const excludes = matcherOfTest(condition.filter, condition.not);
  return (event) => !excludes(event);
}

function matcherOfTest(filter: FilterName, test: Test): Matcher {
  const { valueOf } = FILTERS[filter];
  if ('oneOf' in test) {
    const accepted = new Set(test.oneOf.map((value) => keyOf(filter, value)));
    return (event) => {
      const value = valueOf(event);
      return value !== null && accepted.has(keyOf(filter, value));
    };
  }
  if ('is' in test) return (event) => (valueOf(event) !== null) === test.is;
  const texts = 'contains' in test ? [test.contains] : test.containsOne;
  const parts = texts.map((text) => text.toLowerCase());
  return (event) => {
    const value = valueOf(event)?.toLowerCase();
    return value !== undefined && parts.some((part) => value.includes(part));
  };
}

import { spellingsPattern } from '../../../infra/letter-case.ts';
import {
  type Condition,
  type EventFilter,
  FILTERS,
  type FilterName,
  ignoresCase,
  ROOT_KEY,
  type Test,
} from '../../filters.ts';
import { UTM_FIELDS } from '../../utm.ts';
import { isOneOf, literal } from './connection.ts';

/**
 * Builds SQL that reads one part of a value of the dimension `utm`, by its position from 1; empty
 * if absent.
 */
export const utmSql = (value: string, place: number): string =>
  String.raw`splitByChar('\t', ${value})[${place}]`;

/** SQL of the values that have no column of the same name. */
const COMPUTED: Partial<Record<FilterName, string>> = {
  url: 'page_url',
  root: `(link_id = '' AND key = ${literal(ROOT_KEY)})`,
  ...Object.fromEntries(UTM_FIELDS.map((name, at) => [name, utmSql('utm', at + 1)])),
};

/** Converts a filter to SQL conditions of ClickHouse. */
export function filterSql({ records, domain, conditions = [] }: EventFilter): string[] {
  return [
    ...(records === undefined ? [] : [isOneOf('link_id', records)]),
    ...(domain === undefined ? [] : [`domain = ${literal(domain)}`]),
    ...conditions.map(conditionSql),
  ];
}

function conditionSql(condition: Condition): string {
  if (!('not' in condition)) return testSql(condition.filter, condition);
  return `NOT (${testSql(condition.filter, condition.not)})`;
}

function testSql(filter: FilterName, test: Test): string {
  const value = COMPUTED[filter] ?? FILTERS[filter].column;
  if ('is' in test) return test.is ? value : `NOT ${value}`;
  if ('oneOf' in test) {
    return ignoresCase(filter)
      ? `match(${value}, ${literal(spellingsPattern(test.oneOf))})`
      : isOneOf(value, test.oneOf);
  }
  const texts = 'contains' in test ? [test.contains] : test.containsOne;
  const tests = texts.map((text) => `positionCaseInsensitiveUTF8(${value}, ${literal(text)}) > 0`);
  return tests.length === 1 ? tests[0]! : `(${tests.join(' OR ')})`;
}

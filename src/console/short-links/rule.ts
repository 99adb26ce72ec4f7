import type { Schemas } from '../api/client.ts';
import type { OptionList } from '../ui/field.tsx';
import { fromLocal, toLocal } from '../ui/time.tsx';
import { BROWSERS, COUNTRIES, DEVICES, LANGUAGE_CHOICES, named, SYSTEMS } from './traits.ts';

/** Form of a kind of condition. */
export interface ConditionForm {
  label: string;
  /** Example of a value. */
  hint: string;
  /** Values to choose from or to suggest. */
  choices?: OptionList;
  /** True when only the listed values are allowed. */
  isClosed?: true;
}

/** Kinds of conditions; a rule matches when all of its conditions hold. */
export const CONDITIONS = {
  country: { label: 'Country', hint: 'Choose a country', choices: COUNTRIES, isClosed: true },
  city: { label: 'City', hint: 'Berlin, Vienna', choices: [] },
  device: { label: 'Device', hint: 'Choose a device', choices: DEVICES, isClosed: true },
  os: { label: 'Operating system', hint: 'iOS, Android, Windows', choices: named(SYSTEMS) },
  browser: { label: 'Browser', hint: 'Chrome, Safari', choices: named(BROWSERS) },
  language: { label: 'Language', hint: 'German, or pt-BR', choices: LANGUAGE_CHOICES },
  query: { label: 'Query', hint: 'ref=mail, or ref for any value' },
  time: { label: 'Time of day', hint: '' },
  from: { label: 'From', hint: '' },
  until: { label: 'Until', hint: '' },
  trait: { label: 'Any trait', hint: 'A country code, city, device, system, browser or language' },
} as const satisfies Record<string, ConditionForm>;
export type Condition = keyof typeof CONDITIONS;

/** A routing rule in the form, with each condition as a line of text. */
export interface RuleDraft {
  /** Stable identity of the rule while rules are reordered. */
  id: string;
  url: string;
  conditions: { kind: Condition; text: string }[];
}

/** A time of day, with empty texts where a time is missing. */
interface TimeOfDay {
  from: string;
  to: string;
  days?: string[];
  timezone?: string;
}

let lastId = 0;

export const newRule = (): RuleDraft => ({
  id: `rule-${++lastId}`,
  url: '',
  conditions: [{ kind: 'country', text: '' }],
});

type Conditions = Schemas['RuleConditions'];

/** Returns the form of a stored rule. */
export function ruleOf({ value, url }: Schemas['NewRule']): RuleDraft {
  const conditions: RuleDraft['conditions'] =
    typeof value === 'string'
      ? [{ kind: 'trait', text: value }]
      : (Object.keys(value) as (keyof Conditions)[]).map((kind) => ({
          kind,
          text: textOf(kind, value),
        }));
  return { id: `rule-${++lastId}`, url, conditions };
}

function textOf(kind: keyof Conditions, value: Conditions): string {
  if (kind === 'from' || kind === 'until') return toLocal(value[kind] ?? null);
  if (kind === 'query') {
    return Object.entries(value.query ?? {})
      .flatMap(([name, wanted]) =>
        wanted === true ? [name] : [wanted].flat().map((one) => `${name}=${one}`),
      )
      .join(', ');
  }
  if (kind === 'time') {
    const { from, to, days, timezone } = value.time!;
    return [`${from}-${to}`, days?.join(','), timezone].filter(Boolean).join(' ');
  }
  return (value[kind] ?? []).join(', ');
}

/** Converts a rule to a request body; the API refuses values that the form cannot parse. */
export function ruleToBody({ url, conditions }: RuleDraft): Schemas['NewRule'] {
  const [first] = conditions;
  if (conditions.length === 1 && first?.kind === 'trait') return { value: first.text, url };
  const value = Object.fromEntries(
    conditions.map(({ kind, text }) => [kind, READ[kind](text)]),
  ) as Conditions;
  return { value, url };
}

/** Parsers of the conditions' texts. */
const READ: Record<Condition, (text: string) => unknown> = {
  country: (text) => listOf(text.toUpperCase()),
  city: (text) => listOf(text),
  device: (text) => listOf(text.toLowerCase()),
  os: (text) => listOf(text),
  browser: (text) => listOf(text),
  language: (text) => listOf(text),
  query: (text) => queryOf(listOf(text)),
  time: (text) => timeOf(text),
  from: fromLocal,
  until: fromLocal,
  trait: (text) => text,
};

/** Splits a text at commas. */
export const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

function queryOf(pairs: readonly string[]): Record<string, true | string[]> {
  const query: Record<string, true | string[]> = {};
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    if (equals < 0) {
      query[pair] = true;
      continue;
    }
    const before = query[pair.slice(0, equals)];
    const value = pair.slice(equals + 1);
    query[pair.slice(0, equals)] = Array.isArray(before) ? [...before, value] : [value];
  }
  return query;
}

/** Parses a time of day: "09:00-17:00 mon,tue Europe/Berlin". */
export function timeOf(text: string): TimeOfDay {
  const [span = '', ...rest] = text.trim().split(/\s+/);
  const [from = '', to = ''] = span.split('-');
  const days = rest.find((part) => /^(?:sun|mon|tue|wed|thu|fri|sat)(?:,|$)/i.test(part));
  const timezone = rest.find((part) => part !== days);
  return {
    from,
    to,
    ...(days !== undefined && { days: listOf(days.toLowerCase()) }),
    ...(timezone !== undefined && { timezone }),
  };
}

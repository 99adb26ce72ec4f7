/** Conditions of a rule, as in a request body. */
interface Conditions {
  country?: string[];
  city?: string[];
  device?: string[];
  os?: string[];
  browser?: string[];
  language?: string[];
  query?: Record<string, true | string | string[]>;
  time?: object;
  /** ISO 8601. */
  from?: string;
  until?: string;
}

/** Conditions, or a text that any one trait of the visitor equals. */
type Value = string | Conditions;

/** Reason for which a rule never matches a visitor: its end has passed, or a rule before it. */
export type Unreachable = { ended: true } | { coveredBy: number };

/**
 * Finds the rules that never match: an earlier one matches all of their visitors, or they have
 * ended. Rules that may match in some way that this does not see are left out.
 *
 * @param values conditions of the rules, in order
 * @param now ms since 1970
 * @returns reasons by the position of the rule; positions count from 0
 */
export function unreachable(values: readonly Value[], now: number): Map<number, Unreachable> {
  const found = new Map<number, Unreachable>();
  for (const [at, value] of values.entries()) {
    if (!isComplete(value)) continue;
    const coveredBy = values.findIndex(
      (earlier, place) => place < at && isComplete(earlier) && covers(earlier, value),
    );
    if (typeof value !== 'string' && hasEnded(value, now)) found.set(at, { ended: true });
    else if (coveredBy >= 0) found.set(at, { coveredBy });
  }
  return found;
}

const hasEnded = ({ until }: Conditions, now: number): boolean =>
  until !== undefined && Date.parse(until) <= now;

/** True when each condition has a value; the form can contain empty ones. */
function isComplete(value: Value): boolean {
  if (typeof value === 'string') return value.trim() !== '';
  return Object.values(value).every((part: unknown) =>
    Array.isArray(part)
      ? part.length > 0
      : Boolean(part) && Object.keys(part as object).length !== 0,
  );
}

/** True when a rule with the first value matches all visitors that one with the second matches. */
function covers(wide: Value, narrow: Value): boolean {
  if (typeof wide === 'string') return coversByTrait(wide.trim().toLowerCase(), narrow);
  if (typeof narrow === 'string') return false;
  return (Object.keys(wide) as (keyof Conditions)[]).every((kind) => {
    if (narrow[kind] === undefined) return false;
    if (kind === 'from') return Date.parse(wide.from!) <= Date.parse(narrow.from!);
    if (kind === 'until') return Date.parse(wide.until!) >= Date.parse(narrow.until!);
    if (kind === 'time') return JSON.stringify(wide.time) === JSON.stringify(narrow.time);
    if (kind === 'query') return coversQuery(wide.query!, narrow.query!);
    // A trait beside other conditions, which the API refuses.
    if (!TRAITS.includes(kind)) return false;
    return coversValues(kind, wide[kind]!, narrow[kind]!);
  });
}

/** Kinds of conditions that a rule for any trait compares. */
const TRAITS = ['country', 'city', 'device', 'os', 'browser', 'language'] as const;

function coversByTrait(trait: string, narrow: Value): boolean {
  if (typeof narrow === 'string') return narrow.trim().toLowerCase() === trait;
  return TRAITS.some((kind) => {
    const values = narrow[kind];
    return values !== undefined && coversValues(kind, [trait], values);
  });
}

function coversValues(
  kind: (typeof TRAITS)[number],
  wide: readonly string[],
  narrow: readonly string[],
): boolean {
  const allowed = wide.map((one) => one.toLowerCase());
  return narrow
    .map((one) => one.toLowerCase())
    .every((one) =>
      allowed.some(
        (other) => one === other || (kind === 'language' && one.startsWith(`${other}-`)),
      ),
    );
}

type Query = NonNullable<Conditions['query']>;

function coversQuery(wide: Query, narrow: Query): boolean {
  return Object.entries(wide).every(([name, values]) => {
    const sent = narrow[name];
    if (sent === undefined) return false;
    if (values === true) return true;
    return sent !== true && [sent].flat().every((one) => [values].flat().includes(one));
  });
}

import { Refusal } from '../../errors.ts';

/** A condition on the metadata of an event. */
interface Condition {
  /** Names that lead to the value. */
  path: string[];
  operator: keyof typeof COMPARE;
  value: string;
}

const asNumbers = (compare: (a: number, b: number) => boolean) => (actual: string, value: string) =>
  actual !== '' && compare(Number(actual), Number(value));

const COMPARE = {
  ':': (actual: string, value: string) => actual === value,
  '=': (actual: string, value: string) => actual === value,
  '!=': (actual: string, value: string) => actual !== value,
  '>': asNumbers((a, b) => a > b),
  '<': asNumbers((a, b) => a < b),
  '>=': asNumbers((a, b) => a >= b),
  '<=': asNumbers((a, b) => a <= b),
} as const;

const CONDITION = /^metadata((?:\[(?:'[^'\]]+'|"[^"\]]+")\])+)\s*(>=|<=|!=|[:=<>])\s*(\S.*)$/s;
const NAME = /\[(?:'([^'\]]+)'|"([^"\]]+)")\]/g;

/**
 * Parses Dub's query by metadata, such as `metadata['plan']:pro`, into a predicate.
 *
 * @throws Refusal `unprocessable_entity`
 */
export function metadataFilter(query: string): (metadata: unknown) => boolean {
  const conditions = query.split(/\sAND\s/i).map((text) => conditionOf(text.trim()));
  return (metadata) => conditions.every((condition) => meets(metadata, condition));
}

function conditionOf(text: string): Condition {
  const [, names, operator, value] = CONDITION.exec(text) ?? [];
  if (names === undefined || value === undefined) {
    throw new Refusal(
      'unprocessable_entity',
      "query must be a condition such as metadata['plan']:pro, or several joined by AND",
    );
  }
  return {
    path: [...names.matchAll(NAME)].map(([, single, double]) => (single ?? double)!),
    operator: operator as keyof typeof COMPARE,
    value: value.trim().replace(/^(['"])(.*)\1$/s, '$2'),
  };
}

const isPlain = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);

/** True when the value exists and compares; a value that is a list or an object never does. */
function meets(metadata: unknown, { path, operator, value }: Condition): boolean {
  let actual = metadata;
  for (const name of path) {
    if (typeof actual !== 'object' || actual === null || !Object.hasOwn(actual, name)) return false;
    actual = (actual as Record<string, unknown>)[name];
  }
  return isPlain(actual) && COMPARE[operator](String(actual), value);
}

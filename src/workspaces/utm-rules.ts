/*
 * Rules of a workspace for the UTM parameters of its destinations. The console checks and corrects
 * values with them too, so this file needs no server.
 */

/** Characters that can separate the words of a value. */
export const UTM_SEPARATORS = ['-', '_'] as const;

/** The rules of a workspace. */
export interface UtmRules {
  /** True: values have no upper-case letters. */
  lowercase: boolean;
  /** The only separator of words: values have neither white space nor the other separator. */
  separator: (typeof UTM_SEPARATORS)[number] | null;
  /** Parameters that each new link must have. */
  required: string[];
}

/** Placeholder such as `{{ad.id}}`, which an ad network replaces: its spelling is not ours. */
const PLACEHOLDER = /(\{[^{}]*\})/;

/** Returns a value in the form that the rules require. */
export function normalizeUtm(value: string, rules: UtmRules): string {
  return inCase(separated(value, rules), rules);
}

/** Applies a change to the parts of a value between placeholders. */
const outsidePlaceholders = (value: string, change: (part: string) => string): string =>
  value
    .split(PLACEHOLDER)
    .map((part, at) => (at % 2 === 1 ? part : change(part)))
    .join('');

const inCase = (value: string, { lowercase }: UtmRules): string =>
  lowercase ? outsidePlaceholders(value, (part) => part.toLowerCase()) : value;

function separated(value: string, { separator }: UtmRules): string {
  if (separator === null) return value;
  const isWrong = separator === '-' ? /[\s_]/ : /[\s-]/;
  return outsidePlaceholders(value.trim(), (part) =>
    part.replaceAll(/[\s_-]+/g, (run) => (isWrong.test(run) ? separator : run)),
  );
}

/** Names the rules that a value breaks, each as the end of the sentence "utm_source …". */
export function utmFaults(value: string | null, name: string, rules: UtmRules): string[] {
  if (value === null || value.trim() === '') {
    return rules.required.includes(name) ? ['must be set (utmRules.required)'] : [];
  }
  const faults: string[] = [];
  if (inCase(value, rules) !== value) faults.push('must be in lower case (utmRules.lowercase)');
  if (separated(value, rules) !== value) {
    faults.push(`must separate words by "${rules.separator}" only (utmRules.separator)`);
  }
  return faults;
}

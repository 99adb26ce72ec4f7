/** UTM parameters with their labels. */
export const UTM = [
  ['utm_source', 'Source', 'newsletter'],
  ['utm_medium', 'Medium', 'email'],
  ['utm_campaign', 'Campaign', 'spring-sale'],
  ['utm_term', 'Term', 'shoes'],
  ['utm_content', 'Content', 'header'],
] as const;
export type UtmName = (typeof UTM)[number][0];
export type UtmValues = Partial<Record<UtmName, string>>;

/**
 * Splits a destination without parsing it as a URL, because it may be incomplete while it is typed.
 */
function partsOf(url: string): { before: string; pairs: string[]; fragment: string } {
  const [, head = '', fragment = ''] = /^([^#]*)(#.*)?$/s.exec(url) ?? [];
  const mark = head.indexOf('?');
  const query = mark < 0 ? '' : head.slice(mark + 1);
  return {
    before: mark < 0 ? head : head.slice(0, mark),
    pairs: query.split('&').filter((pair) => pair !== ''),
    fragment,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** Returns the UTM parameters of a destination. */
export function utmOf(url: string): UtmValues {
  const values: UtmValues = {};
  for (const pair of partsOf(url).pairs) {
    const [name = '', ...value] = pair.split('=');
    const known = UTM.find(([one]) => one === name)?.[0];
    if (known !== undefined) values[known] ??= decoded(value.join('='));
  }
  return values;
}

/** False for destinations such as those of apps, which have no UTM parameters. */
export const takesUtm = (url: string): boolean => !/^\s*(?!https?:)[a-z][a-z\d+.-]*:/i.test(url);

/** Replaces the UTM parameters of a destination, and leaves the rest as typed. */
export function withUtm(url: string, values: UtmValues): string {
  const { before, pairs, fragment } = partsOf(url);
  const others = pairs.filter((pair) => !UTM.some(([name]) => pair.split('=')[0] === name));
  const ours = UTM.flatMap(([name]) => {
    const value = values[name];
    return value === undefined || value === '' ? [] : [`${name}=${encodeURIComponent(value)}`];
  });
  const query = [...others, ...ours].join('&');
  return before + (query === '' ? '' : `?${query}`) + fragment;
}

/**
 * Carries UTM parameters over to a destination that is pasted over them: a person who sets them
 * first has a destination such as "?utm_source=news".
 */
export const carryUtm = (before: string, url: string): string =>
  before.startsWith('?') && /^https?:\/\/[^?#\s.]+\.[^?#\s]+$/i.test(url)
    ? withUtm(url, utmOf(before))
    : url;

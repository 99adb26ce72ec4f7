import { cloneElement, createElement, Fragment, type ReactElement, type ReactNode } from 'react';
import { catalog, language, locale } from './language.ts';

/*
 * Look-ups of texts. The build writes the calls (`scripts/texts`): the source has plain English
 * texts.
 */

export { locale };

/** Locale of formats that are English in the source, whatever the browser's variant of it. */
export const fixedLocale = language === 'en' ? 'en' : locale;

/** Returns the translation of a text, or its English. */
function translationOf(text: string): string {
  const found = catalog[text] ?? text;
  return typeof found === 'string' ? found : (found[0] ?? text);
}

/**
 * Returns the English texts that a text is the translation of, and the text itself: people write
 * names in either language.
 */
export const writtenAs = (text: string): string[] => [
  text,
  ...Object.entries(catalog).flatMap(([english, form]) => (form === text ? [english] : [])),
];

const filled = (text: string, values: readonly unknown[]): string =>
  values.length === 0
    ? text
    : text.replaceAll(/\{(\d+)\}/g, (_, index: string) => String(values[Number(index)]));

/**
 * Returns a text in the language of the page.
 *
 * @param text the English text; `{0}` is the place of the first value
 */
export const t = (text: string, ...values: readonly unknown[]): string =>
  filled(translationOf(text), values);

const rules = new Intl.PluralRules(language);

/**
 * Returns the form of a text for a count.
 *
 * @param one the English text for one
 * @param many the English text for other counts
 */
export function plural(
  count: number,
  one: string,
  many: string,
  ...values: readonly unknown[]
): string {
  const forms = catalog[one];
  const form =
    typeof forms === 'object'
      ? forms[forms.length > 1 && rules.select(count) !== 'one' ? 1 : 0]
      : count === 1
        ? one
        : many;
  return filled(form ?? many, values);
}

const isPlain = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

/**
 * Returns a text with elements.
 *
 * @param text the English text; `<0>…</0>` is within the first element, `{0}` the first value
 * @param elements elements without their children
 */
export function rich(
  text: string,
  values: readonly ReactNode[],
  elements: readonly ReactElement[],
): ReactNode {
  const tokens = translationOf(text).split(/(<\/?\d+>|\{\d+\})/);
  const read = (): ReactNode[] => {
    const parts: ReactNode[] = [];
    while (tokens.length > 0) {
      const token = tokens.shift()!;
      const [, mark, index] = /^(<\/?|\{)(\d+)[>}]$/.exec(token) ?? [];
      if (mark === '</') break;
      if (mark === '<') parts.push(cloneElement(elements[Number(index)]!, undefined, ...read()));
      else parts.push(mark === undefined ? token : values[Number(index)]);
    }
    return parts;
  };
  const parts = read().filter((part) => part !== '');
  // One node, as a text in the source would be.
  return parts.every(isPlain) ? parts.join('') : createElement(Fragment, undefined, ...parts);
}

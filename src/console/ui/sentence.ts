/* Texts within sentences, and as sentences. */

/** True in German; the build puts the language of the page here. */
const isGerman = new Intl.Locale('en').language === 'de';

/**
 * Lower-cases a title for use within a sentence, except the capitals of "API keys" and "A/B test",
 * and of German nouns.
 */
export const inSentence = (title: string): string =>
  isGerman || /^[A-Z]{2}|^A\//.test(title)
    ? title
    : title.slice(0, 1).toLowerCase() + title.slice(1);

/** Capitalizes the first letter of a text. */
export const sentenceCase = (text: string): string =>
  text.slice(0, 1).toUpperCase() + text.slice(1);

/** Makes a text a sentence: capitalizes its first letter and adds a period. */
export const sentence = (text: string): string =>
  sentenceCase(/[.!?…]$/.test(text) ? text : `${text}.`);

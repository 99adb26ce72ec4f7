import Negotiator from 'negotiator';
import { de } from './phrases/de.ts';
import { PHRASES, type Phrase } from './phrases/en.ts';
import { es } from './phrases/es.ts';
import { fr } from './phrases/fr.ts';
import { ja } from './phrases/ja.ts';
import { pt } from './phrases/pt.ts';

/** Languages of our pages, by their BCP 47 tags. */
export const LANGUAGES = ['en', 'de', 'es', 'fr', 'pt', 'ja'] as const;
export type Language = (typeof LANGUAGES)[number];

const TRANSLATIONS: Record<Exclude<Language, 'en'>, Record<Phrase, string>> = {
  de,
  es,
  fr,
  pt,
  ja,
};
const KNOWN: ReadonlySet<string> = new Set(PHRASES);
/** Part of the header that is read, in characters. */
const LONGEST_HEADER = 256;

const negotiate = (header: string) =>
  new Negotiator({ headers: { 'accept-language': header.slice(0, LONGEST_HEADER) } });

/** The language of our pages for an `Accept-Language` header; English where none of ours is wanted. */
export function languageOf(header: string): Language {
  if (header === '') return 'en';
  return (negotiate(header).language([...LANGUAGES]) as Language | undefined) ?? 'en';
}

/** The language tag that a visitor likes best, in lower case; empty where the header names none. */
export function favouriteLanguage(header: string): string {
  if (header === '') return '';
  const [first = ''] = negotiate(header).languages();
  return first === '*' ? '' : first.toLowerCase();
}

/** A phrase in a language, with a value in its place. */
export function say(language: Language, phrase: Phrase, value = ''): string {
  const text = language === 'en' ? phrase : TRANSLATIONS[language][phrase];
  // A function, because a dollar sign in a replacement text means something else.
  return text.replace('{}', () => value);
}

/**
 * A text that is stored in English, in another language: a phrase, or one with a name in it or after it, such as
 * "Pay with Bitcoin" and "Phone (work)". Whatever else it is stays as it is.
 */
export function translate(language: Language, text: string): string {
  if (language === 'en') return text;
  if (KNOWN.has(text)) return say(language, text as Phrase);
  const bracket = text.indexOf(' (');
  const before = text.slice(0, Math.max(0, bracket));
  if (KNOWN.has(before) && text.endsWith(')')) {
    return say(language, before as Phrase) + text.slice(bracket);
  }
  const [, currency] = /^Pay with (.+)$/s.exec(text) ?? [];
  return currency === undefined ? text : say(language, 'Pay with {}', currency);
}

/** One thing for each language, made when it is first asked for. */
export function byLanguage<T>(make: (language: Language) => T): (language: Language) => T {
  const made = new Map<Language, T>();
  return (language) => {
    let one = made.get(language);
    if (one === undefined) {
      one = make(language);
      made.set(language, one);
    }
    return one;
  };
}

import Negotiator from 'negotiator';
import { de } from './phrases/de.ts';
import { PHRASES, type Phrase } from './phrases/en.ts';
import { es } from './phrases/es.ts';
import { fr } from './phrases/fr.ts';
import { ja } from './phrases/ja.ts';
import { pt } from './phrases/pt.ts';

/** Languages of the service's pages, by their BCP 47 tags. */
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
/** Number of characters of the header that are parsed. */
const MAX_HEADER_LENGTH = 256;

const negotiate = (header: string) =>
  new Negotiator({ headers: { 'accept-language': header.slice(0, MAX_HEADER_LENGTH) } });

/**
 * Chooses the language of a page by an `Accept-Language` header; English if it names no supported
 * one.
 */
export function languageOf(header: string): Language {
  if (header === '') return 'en';
  return (negotiate(header).language([...LANGUAGES]) as Language | undefined) ?? 'en';
}

/** Returns the preferred language tag of a header, in lower case; empty if it names none. */
export function favouriteLanguage(header: string): string {
  if (header === '') return '';
  const [first = ''] = negotiate(header).languages();
  return first === '*' ? '' : first.toLowerCase();
}

/** Translates a phrase and inserts a value. */
export function say(language: Language, phrase: Phrase, value = ''): string {
  const text = language === 'en' ? phrase : TRANSLATIONS[language][phrase];
  // A function, since a dollar sign in a replacement text has a special meaning.
  return text.replace('{}', () => value);
}

/**
 * Translates a stored English text: a phrase, or one with a name in it or after it, such as "Pay
 * with Bitcoin" and "Phone (work)". Any other text is returned unchanged.
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
